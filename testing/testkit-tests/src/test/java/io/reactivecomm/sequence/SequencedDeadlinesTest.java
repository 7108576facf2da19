package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Deadlines of sequenced calls, over real links and with a clock that is moved by hand. */
class SequencedDeadlinesTest {

    private static final String DONE = "done";
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** A call of this name is never ended by the engine. */
    private static final String ENDLESS = "endless";

    private final LocalWorld world = ReactiveComm.local(3);
    private final ManualTimer timer = new ManualTimer();
    private final List<EndingAtOnce> behind = new ArrayList<>();
    private final List<CollectiveEngine> engines = new ArrayList<>();

    SequencedDeadlinesTest() {
        for (int rank = 0; rank < 3; rank++) {
            behind.add(new EndingAtOnce());
            engines.add(SequencedEngine.of("deadlines", world.groups().get(rank), behind.get(rank), timer));
        }
    }

    @AfterEach
    void close() {
        engines.forEach(CollectiveEngine::close);
        world.close();
    }

    private static final class EndingAtOnce implements OrderedEngine {

        private final List<Turn.Call> endless = new CopyOnWriteArrayList<>();
        private final CompletableFuture<Void> isAtIt = new CompletableFuture<>();

        @Override
        public @Nullable String refusal(EngineGroup group, CallKind kind) {
            return null;
        }

        @Override
        public void run(List<Turn> batch) {
            for (Turn.Call turn : Turn.calls(batch)) {
                if (turn.call().name().equals(ENDLESS)) {
                    endless.add(turn);
                    isAtIt.complete(null);
                } else {
                    turn.sink().succeeded(Completion.of(""));
                }
            }
        }

        @Override
        public void abandonGroup(EngineGroup group, Failure cause) {
            endless.forEach(turn -> turn.sink().failed(cause));
        }

        @Override
        public void closeGroup(EngineGroup group) {}

        @Override
        public void close() {}
    }

    /** {@return how a call of those ranks ends on that one: {@link #DONE}, or its failure} */
    private CompletableFuture<Object> begin(int rank, int groupNumber, String name, List<Integer> members) {
        EngineGroup group = new EngineGroup(groupNumber, 0, members, members.indexOf(rank));
        CompletableFuture<Object> end = new CompletableFuture<>();
        engines.get(rank)
                .submit(new EngineCall(group, name, 0, 1, new Barrier(), TIMEOUT, 0), new CollectiveEngine.Sink() {
                    @Override
                    public void succeeded(Completion completion) {
                        end.complete(DONE);
                    }

                    @Override
                    public void failed(Failure failure, Handle hands) {
                        end.complete(failure);
                    }

                    @Override
                    public void runFailed(CallKey.Ticket run, Failure failure) {
                        failed(failure);
                    }
                });
        engines.get(rank).submitted();
        return end;
    }

    private static Object end(CompletableFuture<Object> call) throws Exception {
        return call.get(30, TimeUnit.SECONDS);
    }

    /** Moves the clock when ranks 0 and 1 have set their alarms. */
    private void pass(Duration time) throws InterruptedException {
        timer.await(2, time);
        timer.pass(time);
    }

    /** Waits until those two ranks have the answers to what they asked: notices between two ranks keep their order. */
    private void awaitAnswers(int groupNumber) throws Exception {
        List<CompletableFuture<Object>> calls = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            calls.add(begin(rank, groupNumber, "", List.of(0, 1)));
        }
        for (CompletableFuture<Object> call : calls) {
            assertThat(end(call)).isEqualTo(DONE);
        }
    }

    @Test
    void rankThatNeverCalls_isNamedAtTheDeadline_alsoToItself() throws Exception {
        List<CompletableFuture<Object>> early =
                List.of(begin(0, 5, "", List.of(0, 1, 2)), begin(1, 5, "", List.of(0, 1, 2)));
        awaitAnswers(6);
        pass(TIMEOUT.dividedBy(2));
        awaitAnswers(7);
        pass(TIMEOUT.dividedBy(2));
        for (CompletableFuture<Object> call : early) {
            Failure failure = (Failure) end(call);
            assertThat(failure.kind()).isEqualTo(Failure.Kind.TIMEOUT);
            assertThat(failure.missing()).containsExactly(2);
            assertThat(failure.text()).contains("rank 2 last issued nothing");
        }
        assertThat(((Failure) end(begin(2, 5, "", List.of(0, 1, 2)))).kind()).isEqualTo(Failure.Kind.TIMEOUT);
    }

    @Test
    void engineThatNeverEnds_isStoppedAtTheDeadline_andItsGroupWithIt() throws Exception {
        List<CompletableFuture<Object>> calls =
                List.of(begin(0, 5, ENDLESS, List.of(0, 1)), begin(1, 5, ENDLESS, List.of(0, 1)));
        for (int rank = 0; rank < 2; rank++) {
            behind.get(rank).isAtIt.get(30, TimeUnit.SECONDS);
        }
        pass(TIMEOUT);
        for (CompletableFuture<Object> call : calls) {
            Failure failure = (Failure) end(call);
            assertThat(failure.kind()).isEqualTo(Failure.Kind.TIMEOUT);
            assertThat(failure.text()).contains("the engine is stuck");
            assertThat(failure.missing()).isEmpty();
        }
        assertThat(((Failure) end(begin(0, 5, "", List.of(0, 1)))).kind()).isEqualTo(Failure.Kind.TIMEOUT);
    }
}
