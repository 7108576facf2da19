package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.collective.Barrier;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several ends of one group, of which one counts on each rank. */
class EndedGroupTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    private final EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 1);

    @AfterEach
    void close() {
        world.close();
    }

    private void abort(int rank, String reason) {
        world.engines.get(rank).abort(world.groups.get(rank), reason, world.now());
        world.turn(rank);
    }

    private Failure nextCall(int rank) {
        EngineWorld.End end = world.barrier(rank, "next", LONG);
        world.settle();
        return end.whyNot();
    }

    /** The first cause is still on its way to rank 2 when rank 1, which knows it, aborts, too. */
    @Test
    void abort_ofAGroupThatHasEnded_overtakesNothing() {
        EngineWorld.End pending = world.barrier(2, "pending", LONG);
        world.link(0, 2).hold(true);
        world.link(1, 2).hold(true);
        abort(0, "the first");
        world.settle();

        abort(1, "the second");
        world.settle();
        assertThat(pending.isThere()).isFalse();
        world.link(0, 2).hold(false);
        world.link(1, 2).hold(false);
        world.settle();

        assertThat(pending.whyNot().text()).contains("reason=the first");
        for (int rank = 0; rank < 3; rank++) {
            assertThat(nextCall(rank).text()).contains("reason=the first").doesNotContain("the second");
        }
    }

    /** Rank 1 leaves as it hears of the abort, of which rank 2 has heard nothing yet. */
    @Test
    void leaving_afterAnAbort_isNotTakenForItsCause() {
        EngineWorld.End pending = world.barrier(2, "pending", LONG);
        world.link(0, 2).hold(true);
        abort(0, "the cause");
        world.settle();
        world.engines.get(1).leave(world.now());
        world.turn(1);
        world.settle();

        assertThat(pending.whyNot().text()).contains("reason=the cause");
        world.link(0, 2).hold(false);
        world.settle();
        assertThat(nextCall(2).text()).contains("reason=the cause");
    }

    @Test
    void abort_afterALoss_isTheEndOfThisRanksCalls_andTellsNobody() {
        world.engines.get(0).down(2, "the cable is cut", world.now());
        world.turn(0);
        assertThat(nextCall(0).kind()).isEqualTo(Failure.Kind.PEER_LOST);

        abort(0, "enough");
        abort(0, "more than enough");

        EngineWorld.End call = world.barrier(0, "later", LONG);
        assertThat(call.whyNot().kind()).isEqualTo(Failure.Kind.CLOSED);
        assertThat(call.whyNot().text())
                .startsWith(
                        "the group was aborted: rank=0, reason=enough; connect anew (before that it had ended: lost rank 2:")
                .doesNotContain("more than enough");
        assertThat(world.link(0, 1).sent(Frame.GroupAbort.class)).isEmpty();
    }

    @Test
    void close_afterALoss_isTheEndOfThisRanksCalls() {
        GroupState pair = new GroupState(7, 0, List.of(0, 2), 0);
        world.engines.get(0).register(pair);
        world.engines.get(0).down(2, "the cable is cut", world.now());
        world.engines.get(0).leaveGroup(pair, world.now());
        world.turn(0);

        EngineWorld.End call = world.collective(pair, "later", new Barrier(), LONG);
        assertThat(call.whyNot().kind()).isEqualTo(Failure.Kind.CLOSED);
        assertThat(call.whyNot().text())
                .startsWith("the group was closed: rank=0;")
                .contains("lost rank 2");

        world.engines.get(0).leave(world.now());
        world.turn(0);
        EngineWorld.End last = world.barrier(0, "last", LONG);
        assertThat(last.whyNot().text())
                .startsWith("the group was closed: rank=0;")
                .contains("lost rank 2");
    }
}
