package io.reactivecomm.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.spi.HostedStore;
import io.reactivecomm.spi.StoreHost;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Ranks of two machines, which are emulated by their names. */
class SplitByHostTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String TOKEN = "hosts";
    private static final List<String> HOSTS = List.of("anna", "berta", "anna", "berta", "anna");

    @Test
    void ranks_ofTwoHosts_areTwoGroupsInTheOrderOfRanks() {
        HostedStore store = ServiceLoader.load(StoreHost.class).findFirst().orElseThrow().start("127.0.0.1", 0, TOKEN).block(LIMIT);
        List<ProcessGroup> groups = Flux.range(0, HOSTS.size())
                .flatMap(rank -> ReactiveComm.connect(config(rank, store.port())), HOSTS.size())
                .collectSortedList((a, b) -> Integer.compare(a.rank(), b.rank()))
                .block(LIMIT);
        try {
            List<ProcessGroup> hosts =
                    Flux.fromIterable(groups).flatMapSequential(ProcessGroup::splitByHost).collectList().block(LIMIT);
            assertThat(hosts).extracting(ProcessGroup::ranks).containsExactly(
                    List.of(0, 2, 4), List.of(1, 3), List.of(0, 2, 4), List.of(1, 3), List.of(0, 2, 4));
            assertThat(hosts).extracting(ProcessGroup::rank).containsExactly(0, 0, 1, 1, 2);
        } finally {
            groups.forEach(ProcessGroup::close);
            store.close();
        }
    }

    private static CommConfig config(int rank, int port) {
        return CommConfig.of(rank, HOSTS.size(), "127.0.0.1", port)
                .withStoreHosted(true)
                .withToken(TOKEN)
                .withHostId(HOSTS.get(rank));
    }
}
