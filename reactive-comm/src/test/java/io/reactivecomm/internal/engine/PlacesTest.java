package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages match by their places: one that has failed keeps its place, so that it takes nobody else's partner. */
class PlacesTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofSeconds(1);

    private final EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 1);
    private final Tensor target = Tensor.allocate(DType.INT32, 2);

    @AfterEach
    void close() {
        world.close();
    }

    private static Tensor value(int value) {
        return Tensor.of(new int[] {value, value});
    }

    private void requireReceived(EngineWorld.End end, int value) {
        world.settle();
        assertThat(end.work).as("a message; failure=%s", end.failure).isNotNull();
        assertThat(target.toIntArray()).containsExactly(value, value);
    }

    @Test
    void send_thatTimedOutUnreceived_failsTheReceiveItWasFor() {
        EngineWorld.End first = world.send(0, 1, 0, value(1), SHORT);
        world.send(0, 1, 0, value(2), LONG);
        world.pass(Duration.ofSeconds(2));
        assertThat(first.whyNot().kind()).isEqualTo(Failure.Kind.TIMEOUT);

        EngineWorld.End itsReceive = world.receive(1, 0, 0, target, LONG);
        EngineWorld.End next = world.receive(1, 0, 0, target, LONG);

        requireReceived(next, 2);
        assertThat(itsReceive.whyNot()).isEqualTo(first.whyNot());
    }

    @Test
    void receive_thatTimedOut_failsTheSendItWasFor() {
        EngineWorld.End first = world.receive(1, 0, 0, target, SHORT);
        EngineWorld.End next = world.receive(1, 0, 0, target, LONG);
        world.pass(Duration.ofSeconds(2));
        assertThat(first.whyNot().missing()).containsExactly(0);

        EngineWorld.End itsSend = world.send(0, 1, 0, value(1), LONG);
        world.send(0, 1, 0, value(2), LONG);

        requireReceived(next, 2);
        assertThat(itsSend.whyNot()).isEqualTo(first.whyNot());
    }

    @Test
    void receiveFromAny_thatTimedOut_takesNobodysMessage() {
        EngineWorld.End first = world.receive(1, ProcessGroup.ANY, 0, target, SHORT);
        world.pass(Duration.ofSeconds(2));
        assertThat(first.whyNot().kind()).isEqualTo(Failure.Kind.TIMEOUT);
        assertThat(first.whyNot().missing()).containsExactly(0, 2);

        EngineWorld.End send = world.send(0, 1, 0, value(1), LONG);
        EngineWorld.End next = world.receive(1, ProcessGroup.ANY, 0, target, LONG);

        requireReceived(next, 1);
        assertThat(send.work).isNotNull();
    }

    @Test
    void sends_refusedOnTheirRank_failTheirReceivesAndNoOther() {
        Failure refusal = new Failure(Failure.Kind.INVALID, 0, "send got a closed tensor");
        world.refused(0, new Submission.Address.To("", 0, 1), refusal);
        world.send(0, 1, 0, value(2), LONG);
        world.refused(0, new Submission.Address.To("", 0, 1), refusal);
        world.settle();

        EngineWorld.End one = world.receive(1, 0, 0, target, LONG);
        EngineWorld.End two = world.receive(1, 0, 0, target, LONG);
        requireReceived(two, 2);
        EngineWorld.End three = world.receive(1, 0, 0, target, LONG);
        world.settle();

        assertThat(List.of(one.whyNot(), three.whyNot())).containsOnly(refusal);
    }

    @Test
    void receivesFromAny_andFromOne_takeInTheOrderOfTheirPosting() {
        EngineWorld.End any = world.receive(2, ProcessGroup.ANY, 0, target, LONG);
        Tensor other = Tensor.allocate(DType.INT32, 2);
        EngineWorld.End named = world.receive(2, 1, 0, other, LONG);
        world.send(1, 2, 0, value(11), LONG);
        world.settle();
        world.send(0, 2, 0, value(10), LONG);
        world.send(1, 2, 0, value(12), LONG);

        requireReceived(any, 11);
        assertThat(any.work).isNotNull().extracting(work -> work.peer()).isEqualTo(1);
        assertThat(named.work).isNotNull();
        assertThat(other.toIntArray()).containsOnly(12);
    }

    @Test
    void collective_thatWasRefused_isKnownToThoseWhoBeginItLater_asLongAsItIsRemembered() {
        Failure refusal = new Failure(Failure.Kind.INVALID, 0, "barrier is not for you");
        for (int i = 0; i < EngineLimits.DEFAULT.tombstones() + 1; i++) {
            world.refused(0, new Submission.Address.Collectively(new CallKey.Ticket(0, 0, "b-" + i, 0, 1)), refusal);
        }
        world.settle();

        assertThat(world.barrier(1, "b-1", LONG).whyNot()).isEqualTo(refusal);
        assertThat(world.barrier(1, "b-" + EngineLimits.DEFAULT.tombstones(), LONG)
                        .whyNot())
                .isEqualTo(refusal);
        assertThat(world.barrier(1, "b-0", LONG).isThere())
                .as("the oldest is forgotten")
                .isFalse();
    }
}
