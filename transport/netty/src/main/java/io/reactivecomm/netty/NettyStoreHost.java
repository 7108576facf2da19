package io.reactivecomm.netty;

import io.reactivecomm.Admission;
import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.UserDirectories;
import io.reactivecomm.netty.internal.rendezvous.Blocking;
import io.reactivecomm.netty.internal.rendezvous.TokenFile;
import io.reactivecomm.netty.internal.store.StoreServer;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * The host of a launcher's rendezvous store, on loopback. While it runs, a file contains its token, so that the user who started the job can
 * watch it. If the file cannot be written, the job runs anyway.
 */
public final class NettyStoreHost implements StoreHost {

    private static final Logger LOG = WarningLog.of(NettyStoreHost.class);

    private final TransportOptions options;
    private final Consumer<Thread> hooks;

    /** For {@link java.util.ServiceLoader}. */
    public NettyStoreHost() {
        this(TransportOptions.DEFAULT);
    }

    NettyStoreHost(TransportOptions options) {
        this(options, Runtime.getRuntime()::addShutdownHook);
    }

    /** @param hooks takes what is to run when this process ends */
    NettyStoreHost(TransportOptions options, Consumer<Thread> hooks) {
        this.options = options;
        this.hooks = hooks;
    }

    @Override
    public Mono<HostedStore> start(String host, int port, @Nullable String token, Encryption encryption) {
        // As the ranks take it.
        String secret = new Admission(token, encryption, false).token();
        return StoreServer.start(host, port, secret, encryption, options).map(store -> hosted(store, secret));
    }

    private HostedStore hosted(StoreServer store, @Nullable String token) {
        TokenFile file = new TokenFile(store.address(), options.directories());
        Thread atEnd = new Thread(file::remove, "rcomm-remove-token");
        try {
            hooks.accept(atEnd);
        } catch (IllegalStateException e) {
            store.close();
            throw new RendezvousException(
                    "no store is started while the process ends: port=" + store.port() + "; start the job again", e);
        }
        return new Hosted(store, file, token == null ? Disposables.disposed() : publish(file, token), atEnd);
    }

    private static Disposable publish(TokenFile file, String token) {
        return Blocking.run(() -> {
                    if (UserDirectories.areSafeHere()) {
                        file.publish(token);
                    }
                })
                .subscribe(ignored -> {}, NettyStoreHost::unknown);
    }

    private static void unknown(Throwable problem) {
        LOG.warn("rcomm top cannot find this job without its address: cause={}", CommException.textOf(problem));
    }

    /**
     * A store, and the file that tells its token.
     *
     * @param atEnd removes the file where this process ends before: a launcher ends by Ctrl-C and SIGTERM as a rule
     */
    private record Hosted(StoreServer store, TokenFile file, Disposable publishing, Thread atEnd)
            implements HostedStore {

        @Override
        public int port() {
            return store.port();
        }

        @Override
        public void close() {
            publishing.dispose();
            store.close();
            file.remove();
            try {
                Runtime.getRuntime().removeShutdownHook(atEnd);
            } catch (IllegalStateException e) {
                LOG.trace("the process is ending, and does the same", e);
            }
        }
    }
}
