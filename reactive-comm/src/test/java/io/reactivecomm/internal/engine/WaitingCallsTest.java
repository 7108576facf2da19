package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.schedule.choice.Wish;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls and messages that wait for long, and what is kept of them. */
class WaitingCallsTest {

    private static final Duration DEFAULT = Duration.ofMinutes(10);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final EngineWorld world = new EngineWorld(2, EngineLimits.DEFAULT, 1);
    private final Tensor tensor = Tensor.of(new float[] {1, 2});

    @AfterEach
    void close() {
        world.close();
        tensor.close();
    }

    /** Receives may wait for ever in good order: they must not hide a collective behind them. */
    @Test
    void barrier_behindManyPostedReceives_isWarnedAbout() {
        for (int tag = 0; tag < 100; tag++) {
            world.receive(0, 1, tag, tensor, DEFAULT);
        }
        world.barrier(0, "late", DEFAULT);

        world.pass(Duration.ofSeconds(6));

        assertThat(world.warnings.get(0))
                .anyMatch(text -> text.contains("barrier is waiting") && text.contains("missing=[1]"));
    }

    @Test
    void deadline_ofACallThatWaitedForTheLoop_countsFromItsSubscription() {
        List<Failure> failures = new ArrayList<>();
        Barrier barrier = new Barrier();
        Submission submission = new Submission(
                world.groups.get(0),
                new Submission.Address.Collectively(new CallKey.Ticket(0, 0, "x", 0, 1)),
                new Submission.Body.Valid(
                        barrier,
                        Selection.DEFAULT
                                .algorithm(barrier, Layout.apart(2), Wish.NONE)
                                .schedule(Place.of(barrier, 0, Layout.apart(2))),
                        2),
                world.now() - SECOND.toNanos(),
                SECOND.toNanos(),
                new CallSink() {
                    @Override
                    public void succeeded(Work work) {}

                    @Override
                    public void failed(Failure failure) {
                        failures.add(failure);
                    }
                });

        world.engines.get(0).submit(submission, world.now());
        world.pass(Duration.ofMillis(1));

        assertThat(failures).singleElement().extracting(Failure::kind).isEqualTo(Failure.Kind.TIMEOUT);
    }

    /** What the receiver keeps of messages, failed ones included, never exceeds the sender's credit. */
    @Test
    void messages_thatTimeOutUnreceived_areKeptWithinTheCredit() {
        int credit = EngineLimits.DEFAULT.messageCredit();
        List<EngineWorld.End> sends = new ArrayList<>();
        for (int i = 0; i < 3 * credit; i++) {
            sends.add(world.send(0, 1, 7, tensor, SECOND));
        }
        world.pass(Duration.ofSeconds(2));
        assertThat(sends).allMatch(send -> send.whyNot().kind() == Failure.Kind.TIMEOUT);

        assertThat(world.engines.get(1).waitingMessages()).isEqualTo(credit);
        for (int i = 0; i < 3 * credit; i++) {
            EngineWorld.End receive = world.receive(1, 0, 7, tensor, DEFAULT);
            world.settle();
            assertThat(receive.whyNot().kind()).as("receive %d", i).isEqualTo(Failure.Kind.TIMEOUT);
        }
        EngineWorld.End send = world.send(0, 1, 7, tensor, DEFAULT);
        EngineWorld.End receive = world.receive(1, 0, 7, tensor, DEFAULT);
        world.settle();
        assertThat(send.work).isNotNull();
        assertThat(receive.work).isNotNull();
        assertThat(world.engines.get(1).waitingMessages()).isZero();
    }

    /** A peer that speaks for another rank, or to another, is not one of us; the engine itself goes on. */
    @Test
    void message_fromAnotherRankThanItsLink_losesThatPeer() {
        CallKey.Message forged = new CallKey.Message(0, 0, "", 1, 5, 0, 0);
        Signature signature = new Signature(Operation.MESSAGE, DType.FLOAT32, 2, Signature.NO_ROOT, null);
        EngineWorld.End receive = world.receive(0, 1, 1, tensor, DEFAULT);

        world.engines
                .get(0)
                .frame(1, new Frame.Open(forged, 1, Frame.Open.UNKNOWN, signature, 0, 0, 0, List.of()), world.now());
        world.turn(0);

        assertThat(receive.whyNot().kind()).isEqualTo(Failure.Kind.PEER_LOST);
        assertThat(receive.whyNot().text()).contains("broke the protocol");
    }
}
