package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The group in which engines talk to each other outlives what ends the world's, and the end of a group is told once. */
class ControlGroupTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 1);
    private final List<GroupState> control = new ArrayList<>();
    private final Tensor tensor = Tensor.allocate(DType.UINT8, 8);
    private final Tensor other = Tensor.allocate(DType.UINT8, 8);

    ControlGroupTest() {
        for (int rank = 0; rank < 3; rank++) {
            control.add(new GroupState(GroupState.CONTROL, 0, List.of(0, 1, 2), rank));
            world.engines.get(rank).register(control.get(rank));
        }
    }

    @AfterEach
    void close() {
        tensor.close();
        other.close();
        world.close();
    }

    private EngineWorld.End receive(int rank, int peer) {
        return world.receive(control.get(rank), peer, other, MINUTE);
    }

    @Test
    void lossOfARank_failsItsMessages_andNoOthers() {
        EngineWorld.End fromLost = receive(0, 2);
        for (int rank = 0; rank < 2; rank++) {
            world.engines.get(rank).down(2, "gone", world.now());
            world.turn(rank);
        }
        assertThat(fromLost.whyNot().kind()).isEqualTo(Failure.Kind.PEER_LOST);
        assertThat(receive(0, 2).whyNot().kind()).isEqualTo(Failure.Kind.PEER_LOST);
        assertThat(world.barrier(0, "", MINUTE).whyNot().kind()).isEqualTo(Failure.Kind.PEER_LOST);

        EngineWorld.End received = receive(0, 1);
        EngineWorld.End sent = world.send(control.get(1), 0, tensor, MINUTE);
        world.settle();
        assertThat(List.of(received.work, sent.work)).doesNotContainNull();
    }

    @Test
    void abortOfTheWorld_leavesIt() {
        world.engines.get(0).abort(world.groups.get(0), "enough", world.now());
        world.turn(0);
        world.settle();
        EngineWorld.End received = receive(0, 1);
        EngineWorld.End sent = world.send(control.get(1), 0, tensor, MINUTE);
        world.settle();
        assertThat(List.of(received.work, sent.work)).doesNotContainNull();
    }

    @Test
    void leavingTheWorld_endsIt() {
        EngineWorld.End waiting = receive(0, 1);
        world.engines.get(0).leave(world.now());
        world.turn(0);
        assertThat(waiting.whyNot().kind()).isEqualTo(Failure.Kind.CLOSED);
    }

    @Test
    void endOfAGroup_isToldOnce_alsoLater() {
        List<String> told = new ArrayList<>();
        GroupState group = world.groups.get(1);
        group.whenEnded(failure -> told.add("early " + failure.kind()));
        world.engines.get(0).abort(world.groups.get(0), "enough", world.now());
        world.turn(0);
        world.settle();
        world.engines.get(1).down(2, "gone", world.now());
        group.whenEnded(failure -> told.add("late " + failure.kind()));
        assertThat(told).containsExactly("early CLOSED", "late CLOSED");
    }
}
