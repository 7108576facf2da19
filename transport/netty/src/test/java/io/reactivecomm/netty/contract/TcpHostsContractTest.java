package io.reactivecomm.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Bits;
import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.collective.HostsContract;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Ranks of one machine that say they are on several: over sockets there is no difference but in what schedules go by. */
class TcpHostsContractTest extends HostsContract implements TcpWorlds {

    @Override
    protected World open(List<Integer> hosts) {
        return open(hosts, config -> config);
    }

    private static World open(List<Integer> hosts, UnaryOperator<CommConfig> setUp) {
        return TcpWorlds.open(
                hosts.size(), config -> setUp.apply(config.withHostId("host " + hosts.get(config.rank()))));
    }

    /** Groups that are made of its own have what the world was set up for, and so have calls of several tensors. */
    @Test
    void worldThatTakesAnyOrder_goesByTheRing() {
        List<ProcessGroup> groups =
                closedAfterwards(open(List.of(0, 0, 1, 1), config -> config.withBits(Bits.ANY_ORDER)));
        List<Tensor> tensors = groups.stream()
                .map(ignored -> Tensor.allocate(DType.FLOAT32, 1 << 18))
                .toList();
        assertThat(all(groups, group -> group.allReduce(tensors.get(group.rank()), ReduceOp.SUM)))
                .extracting(Work::algorithm)
                .containsOnly("hierarchical-ring");
        assertThat(all(
                        groups,
                        group -> group.split(0, group.rank())
                                .flatMap(child ->
                                        child.allReduceCoalesced(List.of(tensors.get(group.rank())), ReduceOp.SUM))))
                .extracting(Work::algorithm)
                .containsOnly("hierarchical-ring");
        tensors.forEach(Tensor::close);
    }
}
