package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Reduce;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.link.Frame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bytes that nobody asked for: a rank that waits for another keeps a window of them, and no more. */
class EagerWindowTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int BYTES = 8 << 10;
    /** Several times a window, and within the credit of calls and of messages. */
    private static final int CALLS = 500;

    /** Of the longest calls that gather-fold serves. */
    private static final int MORE_THAN_A_WINDOW = 30;

    private final EngineLimits limits = EngineLimits.DEFAULT;
    private final EngineWorld world = new EngineWorld(3, limits, 7);
    private final long windowBytes = limits.eagerWindowBytes(2);
    private final List<EngineWorld.End> ends = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    private static Tensor tensor() {
        return Tensor.allocate(DType.UINT8, BYTES);
    }

    private void reduceToRank0(int rank) {
        for (int call = 0; call < CALLS; call++) {
            ends.add(world.collective(rank, "call-" + call, new Reduce(tensor(), 0, ReduceOp.MAX), LONG));
        }
        world.settle();
    }

    private void requireAllDoneAndNothingKept() {
        assertThat(ends).allSatisfy(end -> assertThat(end.work).isNotNull());
        assertThat(world.engines)
                .allSatisfy(engine -> assertThat(engine.keptEagerBytes() + engine.scratchBytes())
                        .isZero());
    }

    private boolean lastOpeningHadBytes(int from, int to) {
        return world.link(from, to).sent(Frame.Open.class).getLast().eagerBytes() > 0;
    }

    @Test
    void root_thatWaitsForAThirdRank_keepsAWindow_andTakesTheRestWhenItCan() {
        reduceToRank0(0);
        reduceToRank0(1);
        assertThat(world.engines.getFirst().keptEagerBytes()).isBetween(windowBytes - BYTES, windowBytes);

        reduceToRank0(2);

        requireAllDoneAndNothingKept();
        reduceToRank0(1);
        assertThat(world.link(1, 0).sent(Frame.Open.class).get(CALLS).eagerBytes())
                .as("the window is free again")
                .isEqualTo(BYTES);
    }

    @Test
    void rank_thatHasBegunNothing_keepsAWindow_andDropsNothing() {
        reduceToRank0(1);
        assertThat(world.engines.getFirst().keptEagerBytes()).isBetween(windowBytes - BYTES, windowBytes);
        assertThat(world.engines.getFirst().parkedOpenings()).isEqualTo(CALLS);
        assertThat(lastOpeningHadBytes(1, 0)).isFalse();

        reduceToRank0(0);
        reduceToRank0(2);

        requireAllDoneAndNothingKept();
    }

    @Test
    void messages_thatNobodyReceives_keepAWindow() {
        for (int message = 0; message < CALLS; message++) {
            ends.add(world.send(1, 0, message, tensor(), LONG));
        }
        world.settle();
        assertThat(world.engines.getFirst().keptEagerBytes()).isBetween(windowBytes - BYTES, windowBytes);

        for (int message = CALLS - 1; message >= 0; message--) {
            ends.add(world.receive(0, 1, message, tensor(), LONG));
        }
        world.settle();

        requireAllDoneAndNothingKept();
    }

    @Test
    void failedCalls_keepNothing() {
        for (int call = 0; call < CALLS; call++) {
            for (int rank = 0; rank < 2; rank++) {
                world.collective(rank, "call-" + call, new Reduce(tensor(), 0, ReduceOp.MAX), Duration.ofSeconds(1));
            }
        }
        world.settle();
        assertThat(world.engines.getFirst().keptEagerBytes()).isPositive();
        assertThat(world.engines.getFirst().scratchBytes()).isPositive();
        world.pass(Duration.ofSeconds(2));

        assertThat(world.engines)
                .allSatisfy(engine -> assertThat(engine.liveCalls()).isZero());
        requireAllDoneAndNothingKept();
    }

    /** Its fold waits for its sends: if these waited for grants, it would wait for ever. */
    @Test
    void gatherFold_ofARankFarAhead_needsNoRoom() {
        try (EngineWorld two = new EngineWorld(2, limits, 3)) {
            gatherFold(two, 1);
            two.settle();
            List<EngineWorld.End> barriers =
                    List.of(two.barrier(0, "beyond the window", LONG), two.barrier(1, "beyond the window", LONG));
            two.settle();
            assertThat(barriers).allSatisfy(end -> assertThat(end.work).isNotNull());

            gatherFold(two, 0);
            two.settle();

            assertThat(ends).allSatisfy(end -> assertThat(end.work).isNotNull());
            assertThat(two.engines)
                    .allSatisfy(engine -> assertThat(engine.keptEagerBytes()).isZero());
        }
    }

    private void gatherFold(EngineWorld two, int rank) {
        for (int call = 0; call < MORE_THAN_A_WINDOW; call++) {
            Tensor tensor = Tensor.allocate(DType.UINT8, limits.eagerBytes());
            ends.add(two.allReduce(rank, "call-" + call, tensor, tensor, ReduceOp.MAX, LONG));
        }
    }
}
