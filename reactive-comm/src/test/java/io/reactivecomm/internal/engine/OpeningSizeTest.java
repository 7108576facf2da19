package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllGatherCoalesced;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.flat.DirectAllGather;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.ScheduledCollective;
import io.reactivecomm.spi.link.Frame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The size of an opening, which is bounded however many collectives a call has. */
class OpeningSizeTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final long MOST_EAGER_BYTES = 64 << 10;
    private static final int MOST_EDGES = 4096;

    /** A coalesced all-gather of equal tensors, each filled with numbers of its own. */
    private static AllGatherCoalesced call(int rank, int tensors, int count) {
        List<Tensor> inputs = new ArrayList<>();
        List<Tensor> outputs = new ArrayList<>();
        for (int tensor = 0; tensor < tensors; tensor++) {
            int[] values = new int[count];
            Arrays.fill(values, 1_000_000 * rank + tensor);
            inputs.add(Tensor.of(values));
            outputs.add(Tensor.allocate(DType.INT32, 2L * count));
        }
        return new AllGatherCoalesced(inputs, outputs);
    }

    /** {@return the call with a schedule of its own for each tensor} */
    private static Submission.Body.Valid collectives(AllGatherCoalesced call, int rank) {
        List<ScheduledCollective> collectives = new ArrayList<>();
        for (int i = 0; i < call.inputs().size(); i++) {
            AllGather each = new AllGather(call.inputs().get(i), call.outputs().get(i));
            collectives.add(ScheduledCollective.of(
                    each, DType.INT32, new DirectAllGather().schedule(Place.of(each, rank, Layout.apart(2))), 2));
        }
        return new Submission.Body.Valid(call, call.signature(), collectives);
    }

    private static List<Frame.Open> opened(int tensors, int count) {
        try (EngineWorld world = new EngineWorld(2, EngineLimits.DEFAULT, tensors)) {
            AllGatherCoalesced one = call(0, tensors, count);
            AllGatherCoalesced two = call(1, tensors, count);
            EngineWorld.End first = world.collective(0, "", collectives(one, 0), LONG);
            List<Frame.Open> opened = opens(world.link(0, 1));
            EngineWorld.End second = world.collective(1, "", collectives(two, 1), LONG);
            world.settle();

            assertThat(first.work).isNotNull();
            assertThat(second.work).isNotNull();
            for (int tensor = 0; tensor < tensors; tensor++) {
                int[] result = two.outputs().get(tensor).toIntArray();
                assertThat(result[0]).isEqualTo(tensor);
                assertThat(result[2 * count - 1]).isEqualTo(1_000_000 + tensor);
            }
            return opened;
        }
    }

    private static List<Frame.Open> opens(QueuedLink link) {
        return link.onTheWay().stream()
                .filter(Frame.Open.class::isInstance)
                .map(Frame.Open.class::cast)
                .toList();
    }

    @Test
    void opening_ofManySections_carriesABoundedNumberOfBytes_andAnnouncesTheRest() {
        Frame.Open open = opened(40, 1000).getFirst();

        long eager =
                open.edges().stream().mapToLong(edge -> edge.eager().byteSize()).sum();
        assertThat(open.edges()).hasSize(40);
        assertThat(eager).isBetween(MOST_EAGER_BYTES - 4000, MOST_EAGER_BYTES);
    }

    @Test
    void opening_ofVeryManySections_carriesABoundedNumberOfEdges() {
        assertThat(opened(MOST_EDGES + 904, 1).getFirst().edges()).hasSize(MOST_EDGES);
    }

    private static long eagerBytes(int ranks, boolean sharesMemory) {
        try (EngineWorld world = new EngineWorld(ranks, EngineLimits.DEFAULT, 1, link -> link.share(sharesMemory))) {
            Tensor tensor = Tensor.allocate(DType.UINT8, ranks * MOST_EAGER_BYTES);
            world.allReduce(0, "", tensor, tensor, ReduceOp.MAX, LONG);
            return opens(world.link(0, 1)).getFirst().eagerBytes();
        }
    }

    @Test
    void operands_thatWaitForThirdRanks_areLentWhereMemoryIsShared() {
        assertThat(eagerBytes(2, false)).isEqualTo(MOST_EAGER_BYTES);
        assertThat(eagerBytes(2, true)).isEqualTo(MOST_EAGER_BYTES);
        assertThat(eagerBytes(3, false)).isEqualTo(MOST_EAGER_BYTES);
        assertThat(eagerBytes(3, true)).isZero();
    }
}
