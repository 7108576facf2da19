package io.reactivecomm.netty.contract;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.spi.HostedStore;
import io.reactivecomm.spi.StoreHost;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import reactor.core.publisher.Flux;

/** Ranks in this JVM that know each other only through TCP, as the contracts want them. */
record TcpWorld(HostedStore store, List<ProcessGroup> groups) implements WorldContract.World {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String TOKEN = "contract";

    static TcpWorld open(int size) {
        HostedStore store = ServiceLoader.load(StoreHost.class)
                .findFirst()
                .orElseThrow()
                .start("127.0.0.1", 0, TOKEN)
                .block(LIMIT);
        List<ProcessGroup> groups = Flux.range(0, size)
                .flatMap(rank -> ReactiveComm.connect(config(rank, size, store.port())), size)
                .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                .block(LIMIT);
        return new TcpWorld(store, groups);
    }

    private static CommConfig config(int rank, int size, int port) {
        return CommConfig.of(rank, size, "127.0.0.1", port).withStoreHosted(true).withToken(TOKEN);
    }

    @Override
    public void close() {
        groups.forEach(ProcessGroup::close);
        store.close();
    }
}
