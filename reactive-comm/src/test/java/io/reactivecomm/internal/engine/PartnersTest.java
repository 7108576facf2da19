package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Reduce;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls whose ranks do not all deal with each other: some have ended, or left, while others have not begun. */
class PartnersTest {

    private static final Duration DEFAULT = Duration.ofMinutes(10);

    private final EngineWorld world = new EngineWorld(4, EngineLimits.DEFAULT, 1);

    @AfterEach
    void close() {
        world.close();
    }

    private static Tensor tensor() {
        return Tensor.of(new float[] {1, 2});
    }

    private EngineWorld.End broadcast(int rank, int root) {
        return world.collective(rank, "x", new Broadcast(tensor(), root), DEFAULT);
    }

    private EngineWorld.End reduce(int rank, int root) {
        return world.collective(rank, "x", new Reduce(tensor(), root, ReduceOp.SUM), DEFAULT);
    }

    private void leave(int rank) {
        world.engines.get(rank).leave(world.now());
        world.turn(rank);
        world.settle();
    }

    /** Rank 3 of a binomial tree hears from rank 2 only. */
    @Test
    void root_thatLeavesAfterItsPart_failsNobodyBehindItsChildren() {
        List<EngineWorld.End> first = List.of(broadcast(0, 0), broadcast(1, 0), broadcast(2, 0));
        world.settle();
        assertThat(first.get(0).work).isNotNull();
        leave(0);

        EngineWorld.End late = broadcast(3, 0);
        world.settle();

        assertThat(late.failure).isNull();
        assertThat(late.work).isNotNull();
        assertThat(first.get(2).work).isNotNull();
    }

    /** Rank 2 deals with the root only, and is done before rank 1 names it as another root. */
    @Test
    void rank_thatOpensACallWhichHasEndedElsewhere_isADisagreement() {
        EngineWorld.End root = reduce(0, 0);
        EngineWorld.End done = reduce(2, 0);
        world.settle();
        assertThat(done.work).isNotNull();

        EngineWorld.End other = reduce(1, 2);
        world.pass(Duration.ofSeconds(1));

        for (EngineWorld.End unfinished : List.of(root, other)) {
            assertThat(unfinished.whyNot().kind()).isEqualTo(Failure.Kind.MISMATCH);
            assertThat(unfinished.whyNot().text()).contains("rank 1 called reduce(FLOAT32 × 2, SUM, root=2)");
        }
    }

    /** Rank 0, which would settle it, is done with its own part and leaves just then. */
    @Test
    void dispute_whoseJudgeLeaves_isSettledByTheNext() {
        EngineWorld.End root = broadcast(0, 0);
        broadcast(1, 0);
        EngineWorld.End parent = broadcast(2, 0);
        world.settle();
        assertThat(root.work).isNotNull();
        EngineWorld.End child = world.collective(3, "x", new Broadcast(Tensor.of(new float[] {1}), 0), DEFAULT);
        leave(0);

        world.pass(Duration.ofSeconds(1));

        for (EngineWorld.End unfinished : List.of(parent, child)) {
            assertThat(unfinished.whyNot().kind()).isEqualTo(Failure.Kind.MISMATCH);
            assertThat(unfinished.whyNot().text()).contains("rank 3 called broadcast(FLOAT32 × 1, root=0)");
        }
    }

    /** Rank 1 lives, but rank 0 cannot reach it: all agree that rank 1 is lost, and nobody else. */
    @Test
    void rank_thatIsCutOffFromOne_isLostForAllAndLosesNobodyElse() {
        List<EngineWorld.End> calls = List.of(broadcast(0, 3), broadcast(1, 3), broadcast(2, 3));
        world.settle();

        world.engines.get(0).down(1, "the cable is cut", world.now());
        world.turn(0);
        world.settle();

        for (EngineWorld.End call : calls) {
            assertThat(call.whyNot().kind()).isEqualTo(Failure.Kind.PEER_LOST);
            assertThat(call.whyNot().culprit()).isEqualTo(1);
            assertThat(call.whyNot().text()).contains("the cable is cut");
        }
    }
}
