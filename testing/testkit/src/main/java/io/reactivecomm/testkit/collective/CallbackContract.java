package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Subscribers that misbehave on the loop: they harm themselves, may delay others, and end nothing. */
public abstract class CallbackContract extends WorldContract {

    private static final int TIMES = 20;

    @Tag("smoke")
    @Test
    void block_onTheLoop_failsAtOnce() {
        List<ProcessGroup> groups = world(2);

        List<Outcome> outcomes = outcomes(
                groups,
                group -> group.barrier().doOnNext(work -> group.barrier().block(LIMIT)));

        for (Outcome outcome : outcomes) {
            assertThat(outcome.error(IllegalStateException.class)).hasMessageContaining("block");
        }
        all(groups, group -> group.named("after").barrier());
    }

    @Test
    void callback_thatSubscribesToFurtherCalls_completes() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<CaseRun> runs = IntStream.range(0, 50)
                    .mapToObj(i -> new CaseRun(
                            new CollectiveCase(Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, 1 + 60L * i, 0, true),
                            3,
                            i,
                            memory))
                    .toList();

            all(groups, group -> {
                List<Mono<Work>> calls =
                        runs.stream().map(run -> run.assemble(group)).toList();
                return calls.stream()
                        .reduce((all, next) -> all.flatMap(work -> next))
                        .orElseThrow();
            });

            runs.forEach(CaseRun::verify);
        }
    }

    /** The run with BlockHound leaves it out, because its callback would get BlockHound's error instead of blocking. */
    @Test
    @Tag("blocks")
    void callback_thatBlocksTheLoop_delaysOthersAndFailsNothing() throws InterruptedException {
        List<ProcessGroup> groups = world(2);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (GuardedMemory memory = new GuardedMemory()) {
            CaseRun run = new CaseRun(
                    new CollectiveCase(Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, 400_000, 0, true), 2, 1, memory);
            CompletableFuture<Outcome> blocking = begin(groups.get(0).barrier().doOnNext(work -> {
                inside.countDown();
                awaitOn(release);
            }));
            end(begin(groups.get(1).barrier())).work();
            assertThat(inside.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();

            List<CompletableFuture<Outcome>> delayed = groups.stream().map(run::assemble).toList().stream()
                    .map(WorldContract::begin)
                    .toList();
            assertThat(delayed).noneMatch(CompletableFuture::isDone);
            release.countDown();

            end(blocking).work();
            delayed.forEach(each -> end(each).work());
            run.verify();
        }
    }

    private static void awaitOn(CountDownLatch latch) {
        try {
            if (!latch.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("nobody released the loop: limit=" + LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    final Stream<Supplier<? extends Throwable>> throwables() {
        return Stream.of(
                () -> new IllegalStateException("a subscriber's own fault"),
                () -> new IOException("a subscriber's own fault"),
                () -> new AssertionError("a subscriber's own fault"));
    }

    /** The first of two calls that end in one turn of the loop has a subscriber that throws, against all rules. */
    @ParameterizedTest
    @MethodSource("throwables")
    void onNext_thatThrows_takesNothingFromOtherCalls(Supplier<? extends Throwable> throwable) {
        List<ProcessGroup> groups = world(2);
        Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            throwRepeatedly(groups, throwable);
        } finally {
            Hooks.resetOnErrorDropped();
        }
        assertThat(dropped).hasSize(TIMES).allSatisfy(each -> assertThat(each).hasMessage("a subscriber's own fault"));
    }

    private static void throwRepeatedly(List<ProcessGroup> groups, Supplier<? extends Throwable> throwable) {
        for (int i = 0; i < TIMES; i++) {
            groups.get(0).barrier().subscribe(new Thrower(throwable));
            CompletableFuture<Outcome> next = begin(groups.get(0).named("next").barrier());
            CompletableFuture<Outcome> other = begin(groups.get(1).barrier());
            CompletableFuture<Outcome> otherNext =
                    begin(groups.get(1).named("next").barrier());

            end(other).work();
            end(otherNext).work();
            end(next).work();
        }
        all(groups, group -> group.named("after").barrier());
    }

    private record Thrower(Supplier<? extends Throwable> throwable) implements CoreSubscriber<Work> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(1);
        }

        @Override
        public void onNext(Work work) {
            throwUnchecked(throwable.get());
        }

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onComplete() {}

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> void throwUnchecked(Throwable throwable) throws E {
            throw (E) throwable;
        }
    }
}
