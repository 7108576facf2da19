package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Send;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls beside and after a group that a member has left, or lost. */
class LeftGroupTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final long PAIR = 7;

    private final EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 1);

    /** The group of ranks 0 and 1 as both know it; rank 2 is no member. */
    private final List<GroupState> pair = new ArrayList<>();

    LeftGroupTest() {
        for (int rank = 0; rank < 2; rank++) {
            pair.add(new GroupState(PAIR, 0, List.of(0, 1), rank));
            world.engines.get(rank).register(pair.get(rank));
        }
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static Tensor tensor() {
        return Tensor.allocate(DType.INT8, 1);
    }

    /** Counts calls, all of which are to fail. */
    private static final class Failed implements CallSink {

        private int count;

        @Override
        public void succeeded(Work work) {
            throw new AssertionError("a message that nobody received has arrived: work=" + work);
        }

        @Override
        public void failed(Failure failure) {
            count++;
        }
    }

    /** Rank 0 sends to rank 1 in their group. */
    private void offerInPair(CallSink sink) {
        Send send = new Send(tensor(), 1, 0);
        Submission.Body body = Submission.Body.Valid.message(send);
        Submission.Address address = new Submission.Address.To("", 0, 1);
        world.engines
                .getFirst()
                .submit(new Submission(pair.getFirst(), address, body, world.now(), LONG.toNanos(), sink), world.now());
        world.turn(0);
    }

    private void leavePair(int rank) {
        world.engines.get(rank).leaveGroup(pair.get(rank), world.now());
        world.turn(rank);
        world.settle();
    }

    /** More messages than the peer may be offered at once, none of which it has received. */
    @Test
    void left_withMessagesOffered_givesTheirCreditBackToOtherGroups() {
        Failed failed = new Failed();
        int offered = EngineLimits.DEFAULT.messageCredit() + 10;
        for (int i = 0; i < offered; i++) {
            offerInPair(failed);
        }
        world.settle();
        leavePair(1);
        assertThat(failed.count).isEqualTo(offered);

        EngineWorld.End sent = world.send(0, 1, 0, tensor(), LONG);
        EngineWorld.End received = world.receive(1, 0, 0, tensor(), LONG);
        world.settle();

        assertThat(received.work).isNotNull();
        assertThat(sent.work).isNotNull();
    }

    @Test
    void left_whoseOnlyOtherMemberIsLostLater_isForgotten() {
        leavePair(0);
        assertThat(world.engines.get(0).knownGroups()).isEqualTo(2);

        world.engines.get(0).down(1, "the cable is cut", world.now());
        world.turn(0);

        assertThat(world.engines.get(0).knownGroups()).isEqualTo(1);
    }

    /** Rank 0 does not know yet that rank 2 has left, and hears of its call's failure from rank 1 alone. */
    @Test
    void left_beforeACallThatNeedsIt_leavesNoOpeningOfTheCallParked() {
        EngineWorld.End opened = world.barrier(0, "together", LONG);
        world.settle();
        assertThat(world.engines.get(1).parkedOpenings()).isEqualTo(1);
        world.link(2, 0).hold(true);
        world.engines.get(2).leaveGroup(world.groups.get(2), world.now());
        world.turn(2);
        world.settle();

        EngineWorld.End neverStarted = world.barrier(1, "together", LONG);
        world.settle();
        world.link(2, 0).hold(false);
        world.settle();

        assertThat(neverStarted.whyNot().kind()).isEqualTo(Failure.Kind.PEER_LOST);
        assertThat(opened.whyNot()).isEqualTo(neverStarted.failure);
        assertThat(world.engines.get(1).parkedOpenings()).isZero();
    }
}
