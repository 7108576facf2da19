package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Work;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that rank 0 refused, and so announced over links as failed, and whose receive rank 1 gives to another engine: none stays at either end. */
class ForeignMessagesTest {

    private static final int TAG = 7;
    private static final int ANY = -1;
    private static final Failure CAUSE = new Failure(Failure.Kind.INVALID, 0, "for the test");

    private final EngineWorld world = new EngineWorld(2, EngineLimits.DEFAULT, 5);
    private final List<String> told = new ArrayList<>();

    /** What was sent is answered, so that its credit is back, and nothing waits for a receive that has been. */
    @AfterEach
    void nothingIsLeft() {
        world.settle();
        assertThat(world.engines.get(1).waitingMessages()).isZero();
        assertThat(world.link(0, 1).sent(Frame.Open.class))
                .hasSameSizeAs(world.link(1, 0).sent(Frame.Abort.class));
        world.close();
    }

    private void refuse() {
        world.refused(0, new Submission.Address.To("", TAG, 1), CAUSE);
    }

    private void receive(int source) {
        CallKey.Message key = new CallKey.Message(0, 0, "", TAG, source, 1, 0);
        CallSink sink = new CallSink() {
            @Override
            public void succeeded(Work work) {}

            @Override
            public void failed(Failure failure) {
                told.add("ends " + failure.kind());
            }
        };
        IdleEngine idle = new IdleEngine(1, null, (what, cause) -> told.add(what + " " + cause.text()));
        world.engines
                .get(1)
                .begin(
                        new QueueEntry.Foreign(world.groups.get(1), key, null, sink, () -> "receive on mpi", idle),
                        world.now());
        world.turn(1);
    }

    @Test
    void receive_behindTheOpening_failsWithTheCause_andAnswersIt() {
        refuse();
        world.settle();
        receive(0);
        assertThat(told).containsExactly("1 refused for the test", "ends INVALID");
    }

    @Test
    void receive_betweenTheNewsAndTheOpening_answersThatToo() {
        refuse();
        world.deliverOne();
        assertThat(world.link(0, 1).onTheWay()).as("the opening").hasSize(1);
        receive(0);
        assertThat(told).containsExactly("1 refused for the test", "ends INVALID");
    }

    @Test
    void receive_beforeBoth_hearsOfItAndAnswersIt() {
        receive(0);
        refuse();
        world.settle();
        assertThat(told).contains("1 INVALID for the test").allMatch(each -> each.endsWith("for the test"));
    }

    /** Its engine finds the receive, and may know of the refusal from the sender. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void receiveFromAny_tellsItsEngineOfEachMessage(boolean isBefore) {
        if (isBefore) {
            receive(ANY);
        }
        refuse();
        refuse();
        world.settle();
        if (!isBefore) {
            receive(ANY);
        }
        assertThat(told)
                .containsExactly("1 elsewhere #0[0→1, tag=7] for the test", "1 elsewhere #1[0→1, tag=7] for the test");
    }
}
