package io.reactivecomm.launch;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Mono;

/** A store that listens nowhere, and remembers how it was started and whether it was closed. */
public final class FakeStoreHost implements StoreHost {

    static final int PORT = 4711;

    final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public Mono<HostedStore> start(String host, int port, String token, Encryption encryption) {
        return Mono.fromSupplier(() -> {
            events.add("start " + host + ":" + port + " token=" + token.length() + " encryption=" + encryption);
            return new HostedStore() {
                @Override
                public int port() {
                    return PORT;
                }

                @Override
                public void close() {
                    events.add("close");
                }
            };
        });
    }
}
