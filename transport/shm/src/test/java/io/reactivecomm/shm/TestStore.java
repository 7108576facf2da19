package io.reactivecomm.shm;

import io.reactivecomm.CommConfig;
import io.reactivecomm.spi.HostedStore;
import io.reactivecomm.spi.StoreHost;
import java.time.Duration;
import java.util.ServiceLoader;

/** Where the ranks of a test meet. */
final class TestStore {

    private static final String TOKEN = "contract";

    private TestStore() {}

    static HostedStore start() {
        return ServiceLoader.load(StoreHost.class)
                .findFirst()
                .orElseThrow()
                .start("127.0.0.1", 0, TOKEN)
                .block(Duration.ofSeconds(30));
    }

    static CommConfig config(HostedStore store, int rank, int size) {
        return CommConfig.of(rank, size, "127.0.0.1", store.port())
                .withTransport("shm")
                .withStoreHosted(true)
                .withToken(TOKEN);
    }
}
