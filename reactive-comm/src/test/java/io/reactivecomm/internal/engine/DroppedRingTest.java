package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.flat.RingAllReduce;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Openings with partial results that a late rank drops: a ring has used their slots of scratch again by the time they are repeated. */
class DroppedRingTest {

    private static final int RANKS = 7;
    private static final int LATE = 0;
    /** Sends the late rank its partial results. */
    private static final int BEFORE = RANKS - 1;
    /** One more than the credit of openings. */
    private static final int CALLS = LimitsTest.tight().openings().credit() + 1;

    private final List<Tensor> tensors = new ArrayList<>();

    @Test
    void ring_openingDroppedAfterItsSlotsWereUsedAgain_isRepeatedWithWhatItSaid() {
        try (EngineWorld world = new EngineWorld(RANKS, LimitsTest.tight(), 1)) {
            for (int i = 0; i < CALLS * RANKS; i++) {
                tensors.add(Tensor.of(IntStream.range(0, RANKS)
                        .map(new Input(i / RANKS, i % RANKS)::at)
                        .toArray()));
            }
            world.link(BEFORE, LATE).hold(true);
            submitThose(world, (rank, call) -> rank == BEFORE || (rank != LATE && call == CALLS - 1));
            world.settle();
            world.link(BEFORE, LATE).hold(false);
            world.settle();
            submitThose(world, (rank, call) -> rank == LATE || (rank != BEFORE && call != CALLS - 1));
            world.settle();
            for (int i = 0; i < tensors.size(); i++) {
                assertThat(tensors.get(i).toIntArray())
                        .as("call=%d, rank=%d", i / RANKS, i % RANKS)
                        .isEqualTo(sum(i / RANKS));
            }
            tensors.forEach(Tensor::close);
        }
    }

    private interface Which {

        boolean isMeant(int rank, int call);
    }

    private void submitThose(EngineWorld world, Which which) {
        for (int i = 0; i < tensors.size(); i++) {
            if (which.isMeant(i % RANKS, i / RANKS)) {
                submit(world, i % RANKS, i / RANKS, tensors.get(i));
            }
        }
    }

    /** Distinct by call, rank and element, so that no partial result is like another. */
    private record Input(int call, int rank) {

        int at(int element) {
            return (1 << 4 * rank) + 1_000 * call + element;
        }
    }

    private static int[] sum(int call) {
        int[] sum = new int[RANKS];
        Arrays.setAll(
                sum,
                element -> IntStream.range(0, RANKS)
                        .map(rank -> new Input(call, rank).at(element))
                        .sum());
        return sum;
    }

    private static void submit(EngineWorld world, int rank, int call, Tensor tensor) {
        AllReduce allReduce = new AllReduce(tensor, tensor, ReduceOp.SUM);
        Schedule schedule = new RingAllReduce().schedule(Place.of(allReduce, rank, Layout.apart(RANKS)));
        Submission.Body body = new Submission.Body.Valid(allReduce, schedule, RANKS);
        Submission.Address address = new Submission.Address.Collectively(new CallKey.Ticket(0, 0, "call" + call, 0, 1));
        CallSink sink = new CallSink() {
            @Override
            public void succeeded(Work result) {
                // The tensors tell.
            }

            @Override
            public void failed(Failure cause) {
                throw new AssertionError(cause);
            }
        };
        world.engines
                .get(rank)
                .submit(
                        new Submission(
                                world.groups.get(rank),
                                address,
                                body,
                                world.now(),
                                Duration.ofMinutes(1).toNanos(),
                                sink),
                        world.now());
        world.turn(rank);
    }
}
