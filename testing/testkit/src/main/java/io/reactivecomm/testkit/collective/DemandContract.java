package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.ObserverNotes;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/**
 * The contract of demand and cancellation of a call: it runs from its subscription, tells its end on demand, and runs on when cancelled.
 */
public abstract class DemandContract extends WorldContract {

    /** Few enough to travel with the announcement, and several pieces. */
    final Stream<Long> counts() {
        return Stream.of(3L, 400_000L);
    }

    /** The moment at which a subscriber cancels. */
    public enum CancelPoint {
        ON_SUBSCRIBE,
        BEFORE_REQUEST,
        AFTER_REQUEST,
        ON_NEXT,
        AFTER_THE_END
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}")
    @EnumSource(CancelPoint.class)
    void allReduce_cancelledAtAnyStep_runsOnAndLetsGo(CancelPoint step) {
        List<ProcessGroup> groups = world(3);
        for (long count : counts().toList()) {
            try (GuardedMemory memory = new GuardedMemory()) {
                CaseRun run = new CaseRun(allReduce(count), 3, 1, memory);
                Canceller canceller = new Canceller(step);
                List<Mono<Work>> calls = groups.stream().map(run::assemble).toList();

                calls.get(1).subscribe(canceller);
                canceller.act();
                List<CompletableFuture<Outcome>> others = List.of(begin(calls.get(0)), begin(calls.get(2)));

                others.forEach(each -> end(each).work());
                memory.awaitRelease();
                canceller.afterwards();
                run.verify();
                all(groups, ProcessGroup::barrier);
                assertThat(canceller.values)
                        .as("values after cancelling %s", step)
                        .isEqualTo(canceller.expectedValues());
                assertThat(canceller.error).isNull();
            }
        }
    }

    private static CollectiveCase allReduce(long count) {
        return new CollectiveCase(Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, count, 0, true);
    }

    /** Cancels at one step. Its fields are read after all ranks have met at a barrier, behind every signal of the call. */
    private static final class Canceller extends BaseSubscriber<Work> {

        private final CancelPoint step;
        private final CompletableFuture<Void> completed = new CompletableFuture<>();
        private volatile int values;
        private volatile @Nullable Throwable error;

        private Canceller(CancelPoint step) {
            this.step = step;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            if (step == CancelPoint.ON_SUBSCRIBE) {
                cancel();
            }
        }

        private void act() {
            if (step != CancelPoint.BEFORE_REQUEST && step != CancelPoint.ON_SUBSCRIBE) {
                request(1);
            }
            if (step == CancelPoint.BEFORE_REQUEST || step == CancelPoint.AFTER_REQUEST) {
                cancel();
            }
        }

        private void afterwards() {
            if (step == CancelPoint.AFTER_THE_END) {
                completed.orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
                cancel();
            }
        }

        private int expectedValues() {
            return step == CancelPoint.ON_NEXT || step == CancelPoint.AFTER_THE_END ? 1 : 0;
        }

        @Override
        protected void hookOnComplete() {
            completed.complete(null);
        }

        @Override
        protected void hookOnNext(Work work) {
            values++;
            if (step == CancelPoint.ON_NEXT) {
                cancel();
            }
        }

        @Override
        protected void hookOnError(Throwable throwable) {
            error = throwable;
        }

        @Override
        protected void hookFinally(SignalType type) {
            if (type == SignalType.ON_COMPLETE && step == CancelPoint.ON_NEXT) {
                error = new AssertionError("completed after it was cancelled");
            }
        }
    }

    @ParameterizedTest(name = "count={0}")
    @MethodSource("counts")
    void allReduce_withoutDemand_runsAndTellsOnDemand_andBorrowsUntilThen(long count) {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            CaseRun run = new CaseRun(allReduce(count), 2, 1, memory);
            ObserverNotes notes = new ObserverNotes();
            Mono<Work> undemanded = run.assemble(groups.get(0).observedBy(notes));
            Mono<Work> other = run.assemble(groups.get(1));

            StepVerifier.create(undemanded, 0)
                    .expectSubscription()
                    .then(() -> {
                        end(begin(other)).work();
                        notes.awaitEnd("all-reduce", LIMIT.toSeconds());
                        assertThat(memory.released().toFuture()).isNotDone();
                    })
                    .thenRequest(1)
                    .assertNext(work -> {
                        assertThat(work.operation()).isEqualTo("all-reduce");
                        run.verify();
                    })
                    .expectComplete()
                    .verify(LIMIT);
        }
    }

    @Test
    void call_demandedBeforeItsEnd_tellsOnce() {
        List<ProcessGroup> groups = world(2);
        Mono<Work> here = groups.get(0).barrier();
        Mono<Work> there = groups.get(1).barrier();

        StepVerifier.create(here, 0)
                .thenRequest(1)
                .thenRequest(5)
                .then(() -> end(begin(there)).work())
                .expectNextCount(1)
                .expectComplete()
                .verify(LIMIT);
    }

    @Test
    void signals_comeOnAThreadThatMustNotBlock() {
        List<ProcessGroup> groups = world(2);

        List<Outcome> outcomes = outcomes(
                groups,
                group -> group.barrier()
                        .doOnNext(work -> assertThat(Schedulers.isInNonBlockingThread())
                                .as("a thread that must not block")
                                .isTrue()));

        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(outcome.work().operation()).isEqualTo("barrier"));
    }
}
