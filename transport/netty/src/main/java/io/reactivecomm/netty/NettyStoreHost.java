package io.reactivecomm.netty;

import io.reactivecomm.spi.HostedStore;
import io.reactivecomm.spi.StoreHost;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Hosts a {@link StoreServer} for a launcher, on loopback. */
public final class NettyStoreHost implements StoreHost {

    /** For {@link java.util.ServiceLoader}. */
    public NettyStoreHost() {}

    @Override
    public Mono<HostedStore> start(String host, int port, @Nullable String token) {
        return StoreServer.start(host, port, token, false).cast(HostedStore.class);
    }
}
