package io.reactivecomm.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Ranks of two machines, which are emulated by their names. */
class SplitByHostTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final List<String> HOSTS = List.of("anna", "berta", "anna", "berta", "anna");

    @Test
    void ranks_ofTwoHosts_areTwoGroupsInTheOrderOfRanks() {
        try (WorldContract.World world =
                TcpWorlds.open(HOSTS.size(), config -> config.withHostId(HOSTS.get(config.rank())))) {
            List<ProcessGroup> hosts = Flux.fromIterable(world.groups())
                    .flatMapSequential(ProcessGroup::splitByHost)
                    .collectList()
                    .block(LIMIT);
            assertThat(hosts)
                    .extracting(ProcessGroup::ranks)
                    .containsExactly(
                            List.of(0, 2, 4), List.of(1, 3), List.of(0, 2, 4), List.of(1, 3), List.of(0, 2, 4));
            assertThat(hosts).extracting(ProcessGroup::rank).containsExactly(0, 0, 1, 1, 2);
        }
    }
}
