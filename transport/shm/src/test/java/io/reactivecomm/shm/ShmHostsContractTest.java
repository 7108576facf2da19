package io.reactivecomm.shm;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.testkit.ConnectedWorlds;
import io.reactivecomm.testkit.collective.HostsContract;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import reactor.core.publisher.Flux;

/** Hosts as ranks with shared memory say them: as it is, and where one rank could not get what its host's name promises. */
@Tag("repeated")
class ShmHostsContractTest {

    /** Ranks share memory with those of their host, and talk to others over sockets. */
    @Nested
    class AsTheySay extends HostsContract implements ShmWorlds {

        @Override
        protected World open(List<Integer> hosts) {
            return ConnectedWorlds.open(transport(), hosts.size(), config -> onHost(config, hosts));
        }
    }

    /** One rank reaches nobody's memory, though schedules take it to be beside others: calls take longer, with the same bits. */
    @Nested
    @Tag("thorough")
    class WithoutMemoryOfOne extends HostsContract implements ShmWorlds {

        @Override
        protected World open(List<Integer> hosts) {
            int size = hosts.size();
            HostedStore store = ConnectedWorlds.store();
            List<ProcessGroup> groups = Flux.range(0, size)
                    .map(rank -> onHost(ConnectedWorlds.config(store, transport(), rank, size), hosts))
                    .flatMap(
                            config -> PartlySharedWorldTest.mesh(config).flatMap(mesh -> Groups.world(mesh, config)),
                            size)
                    .collectSortedList((one, other) -> Integer.compare(one.rank(), other.rank()))
                    .block(LIMIT);
            return new ConnectedWorlds.Ranks(store, groups);
        }
    }

    private static CommConfig onHost(CommConfig config, List<Integer> hosts) {
        return config.withHostId("host " + hosts.get(config.rank()));
    }
}
