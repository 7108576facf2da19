package io.reactivecomm.sequence;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.device.Handle;
import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import io.reactivecomm.spi.engine.GroupKey;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Exceptions;

/** An engine that does what it must not, behind a member: nothing that it was given is left without an end. */
class EngineTurnsTest {

    private static final EngineGroup GROUP = new EngineGroup(9, 0, List.of(4, 2), 1);
    private static final GroupKey KEY = GroupKey.of(GROUP);
    private static final Failure CAUSE = new Failure(Failure.Kind.CLOSED, 4, "for the test");

    private final List<String> log = new ArrayList<>();
    private final List<Notice> said = new ArrayList<>();
    private final List<Throwable> faults = new ArrayList<>();
    private final List<Turn> given = new ArrayList<>();
    private final DrainLoop tasks = DrainLoop.ofTasks(() -> {}, faults::add);
    private final EngineTurns turns = new EngineTurns("wayward", 2, new Wayward(), tasks);
    private final Member member = new Member(2, 4, new ToTurns());
    private final RecentNames leaders = new RecentNames(KEY, 4);
    private @Nullable Throwable thrown;
    private @Nullable Handle hands;
    private long batches;

    private static Stream<Throwable> throwables() {
        return Stream.of(
                new IllegalStateException("wayward"),
                new UnsatisfiedLinkError("wayward"),
                new AssertionError("wayward"),
                new StackOverflowError("wayward"));
    }

    private final class Wayward implements OrderedEngine {

        @Override
        public @Nullable String refusal(EngineGroup group, CallKind kind) {
            return null;
        }

        @Override
        public void run(List<Turn> batch) {
            given.addAll(batch);
            throwIt();
        }

        @Override
        public void abandonGroup(EngineGroup group, Failure cause) {
            log.add("abandoned");
            throwIt();
        }

        @Override
        public void closeGroup(EngineGroup group) {
            throwIt();
        }

        @Override
        public void close() {
            throwIt();
        }

        private void throwIt() {
            if (thrown instanceof Error error) {
                throw error;
            } else if (thrown != null) {
                throw Exceptions.propagate(thrown);
            }
        }
    }

    private final class ToTurns implements Member.Effects {

        @Override
        public void send(Notice notice) {
            said.add(notice);
        }

        @Override
        public void run(List<MemberCall> batch) {
            turns.run(batch, member);
        }

        @Override
        public void open(GroupOpening opening) {
            turns.open(opening, member);
        }

        @Override
        public void free(GroupOpening opening) {
            turns.free(opening, member);
        }

        @Override
        public void fail(CollectiveEngine.Sink sink, Failure cause) {
            sink.failed(cause);
        }

        @Override
        public void failRun(CollectiveEngine.Sink sink, CallKey.Ticket run, Failure cause) {
            sink.runFailed(run, cause);
        }

        @Override
        public void abandon(EngineGroup group, Failure cause, List<MemberCall> running) {
            turns.abandon(group, cause, running);
        }

        @Override
        public void failed(GroupKey group, Failure cause) {}

        @Override
        public void warn(String text) {
            log.add("warns " + text);
        }
    }

    private void begin(String name) {
        EngineCall call = new EngineCall(GROUP, name, 0, 1, new Barrier(), Duration.ofSeconds(30), 0);
        tasks.execute(() -> member.submit(
                call,
                new CollectiveEngine.Sink() {
                    @Override
                    public void succeeded(Completion completion) {
                        log.add(name + " succeeds");
                    }

                    @Override
                    public void failed(Failure failure, Handle last) {
                        hands = last;
                        log.add(name + " fails: " + failure.text());
                    }

                    @Override
                    public void runFailed(CallKey.Ticket run, Failure failure) {
                        log.add(name + " fails with " + run.label());
                    }
                },
                0));
        NameReference place = leaders.write(new CallKey.Ticket(0, 9, name, 0, 1));
        tasks.execute(() -> member.take(new Notice.Batch(batches++, List.of(place))));
    }

    private CollectiveEngine.Sink sink() {
        return ((Turn.Call) given.getLast()).sink();
    }

    private boolean isLetGo() {
        return hands == Handle.DONE
                || hands != null && hands.released().toFuture().isDone();
    }

    private void requireOthersTold(String where) {
        assertThat(said)
                .filteredOn(Notice.Ended.class::isInstance)
                .last()
                .satisfies(
                        end -> assertThat(((Notice.Ended) end).cause().text()).contains(where));
        assertThat(((Notice.Ended) said.stream()
                                .filter(Notice.Ended.class::isInstance)
                                .toList()
                                .getLast())
                        .abandoned())
                .isTrue();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void run_thatThrows_failsTheCall_andTheGroupOnAllMembers(Throwable error) {
        thrown = error;
        begin("a");
        assertThat(log)
                .filteredOn(each -> each.startsWith("a fails"))
                .singleElement()
                .asString()
                .contains("engine=wayward", "rank=2", error.toString());
        requireOthersTold("an engine failed: engine=wayward, rank=2");
        assertThat(member.calls()).isZero();
        assertThat(faults).isEmpty();
    }

    @Test
    void run_thatThrowsHavingBegunTheCall_leavesItsTensorsBorrowed_untilTheEngineEndsIt() {
        thrown = new AssertionError("wayward");
        begin("a");
        assertThat(isLetGo()).isFalse();
        sink().succeeded(Completion.of("late"));
        assertThat(isLetGo()).isTrue();
        assertThat(log).filteredOn(each -> each.startsWith("a ")).hasSize(1);
    }

    @Test
    void lateFailure_ofSuchACall_keepsItsTensorsAsLongAsItsOwnHands() {
        thrown = new AssertionError("wayward");
        begin("a");
        EnqueuedHandle own = new EnqueuedHandle();
        sink().failed(CAUSE, own);
        assertThat(isLetGo()).isFalse();
        own.letGo();
        assertThat(isLetGo()).isTrue();
    }

    @Test
    void run_thatThrowsHavingEndedTheCall_isNoEndOfIt() {
        begin("a");
        sink().succeeded(Completion.of("in time"));
        thrown = new AssertionError("wayward");
        begin("b");
        assertThat(log).startsWith("a succeeds").doesNotContain("a fails");
    }

    @Test
    @SuppressWarnings("DataFlowIssue")
    void endsThatSayNothing_failTheCall() {
        begin("a");
        sink().succeeded(null);
        assertThat(log).last().asString().contains("a fails", "did not say", "engine=wayward", "rank=2", "call=a#0");
        assertThat(isLetGo()).isTrue();
        assertThat(member.calls()).isZero();
    }

    @Test
    @SuppressWarnings("DataFlowIssue")
    void failureThatSaysNothing_failsTheCall() {
        begin("a");
        sink().failed(null);
        assertThat(log).last().asString().contains("a fails", "did not say");
        assertThat(member.calls()).isZero();
    }

    @Test
    void handleThatThrows_failsTheCall() {
        begin("a");
        sink().succeeded(Completion.of("queued").withHandle(() -> {
            throw new AssertionError("wayward");
        }));
        assertThat(log).last().asString().contains("a fails", "wayward");
        assertThat(member.calls()).isZero();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void abandonGroup_thatThrows_endsWhatRuns_andTellsTheOthers(Throwable error) {
        begin("a");
        thrown = error;
        tasks.execute(() -> member.failGroup(GROUP, CAUSE));
        assertThat(log)
                .filteredOn(each -> each.startsWith("a fails"))
                .singleElement()
                .asString()
                .contains(error.toString());
        requireOthersTold("for the test");
        assertThat(isLetGo()).isFalse();
        assertThat(member.calls()).isZero();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void closeGroup_andClose_thatThrow_endWhatRuns(Throwable error) {
        begin("a");
        thrown = error;
        tasks.execute(() -> turns.close(GROUP, member.running(GROUP)));
        assertThat(log).filteredOn(each -> each.startsWith("a fails")).hasSize(1);
        thrown = null;
        begin("b");
        thrown = error;
        tasks.execute(() -> turns.close(member.running()));
        assertThat(log).filteredOn(each -> each.startsWith("b fails")).hasSize(1);
    }

    @Test
    void callForsakenTwice_isLetGoOf_whenTheEngineEndsIt() {
        begin("a");
        begin("b");
        thrown = new AssertionError("wayward");
        tasks.execute(() -> member.failGroup(GROUP, CAUSE));
        Handle first = Objects.requireNonNull(hands);
        tasks.execute(() -> turns.close(member.running()));
        thrown = null;
        given.forEach(turn -> ((Turn.Call) turn).sink().succeeded(Completion.of("late")));
        assertThat(hands).isSameAs(first);
        assertThat(isLetGo()).isTrue();
    }

    @Test
    void enqueuedCall_whoseGroupCannotBeAbandoned_endsItsHandle() {
        begin("a");
        EnqueuedHandle handle = new EnqueuedHandle();
        sink().succeeded(Completion.of("queued").withHandle(handle));
        thrown = new AssertionError("wayward");
        tasks.execute(() -> member.failGroup(GROUP, CAUSE));
        assertThatThrownBy(handle.completed()::block)
                .isInstanceOf(CommException.class)
                .hasMessageContaining("wayward");
        assertThat(handle.released().toFuture())
                .as("the engine may still be at it")
                .isNotDone();
        assertThat(member.calls()).isZero();
    }

    @Test
    void callThatIsNotEnded_thoughItsGroupWasAbandoned_failsAtItsDeadline() {
        begin("a");
        tasks.execute(() -> member.failGroup(GROUP, CAUSE));
        assertThat(log).containsExactly("abandoned");
        tasks.execute(() -> member.time(SECONDS.toNanos(30)));
        assertThat(log).last().asString().contains("a fails", "a#0", "does not end it");
        assertThat(isLetGo()).isFalse();
        assertThat(member.calls()).isZero();
        assertThat(member.next()).isEqualTo(Leader.NEVER);
    }

    @Test
    void callThatIsNotEnded_thoughItsDeadlineHasAbandonedItsGroup_failsSoonAfter() {
        begin("a");
        tasks.execute(() -> member.time(SECONDS.toNanos(30)));
        assertThat(log).containsExactly("abandoned");
        tasks.execute(() -> member.time(member.next()));
        assertThat(log).last().asString().contains("a fails", "does not end it");
        assertThat(member.calls()).isZero();
    }

    @Test
    void callThatIsNotEnded_whenItsEngineIsClosed_fails() {
        begin("a");
        tasks.execute(member::close);
        tasks.execute(() -> turns.close(member.running()));
        assertThat(log).last().asString().contains("a fails");
        assertThat(isLetGo()).isFalse();
        sink().failed(CAUSE);
        assertThat(isLetGo()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void openingAndFreeing_thatThrow_endTheGroup(Throwable error) {
        tasks.execute(() -> member.stepped(GROUP));
        thrown = error;
        tasks.execute(() -> member.take(new Notice.Opening(batches++, KEY, List.of(4, 2), null, List.of())));
        requireOthersTold(error.toString());
        assertThat(member.opened()).isZero();
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void freeing_thatThrows_abandonsTheGroup(Throwable error) {
        tasks.execute(() -> member.stepped(GROUP));
        tasks.execute(() -> member.take(new Notice.Opening(batches++, KEY, List.of(4, 2), null, List.of())));
        ((Turn.Opening) given.getLast()).sink().done();
        tasks.execute(() -> member.closeGroup(GROUP));
        thrown = error;
        tasks.execute(() -> member.take(new Notice.Freeing(batches++, KEY)));
        requireOthersTold(error.toString());
        assertThat(log).contains("abandoned");
        assertThat(member.opened()).isZero();
    }

    @Test
    void fatalError_isThrownOn_whenTheCallHasFailed() {
        OutOfMemoryError fatal = new OutOfMemoryError("planted");
        thrown = fatal;
        begin("a");
        assertThat(log).filteredOn(each -> each.startsWith("a fails")).hasSize(1);
        // Told of the throwing of run, and of abandonGroup.
        assertThat(faults).isNotEmpty().allMatch(each -> each == fatal);
    }

    @Test
    void faultsOfALoop_thatAreThrownOn_holdNoTaskUp() {
        DrainLoop loop = DrainLoop.ofTasks(() -> {}, fault -> {
            throw (Error) fault;
        });
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> loop.execute(() -> {
                    loop.execute(() -> log.add("behind"));
                    throw new OutOfMemoryError("planted");
                }));
        assertThat(log).containsExactly("behind");
    }
}
