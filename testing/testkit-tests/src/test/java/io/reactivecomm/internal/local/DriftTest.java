package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import io.reactivecomm.train.TrainingStep;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The drift of which {@link ProcessGroup} tells: where user code throws between two calls of which one follows the other, that rank's count of calls
 * stays behind.
 *
 * <p>This shows what is promised today. Once calls that follow each other can be made as one, with one ticket for all of them,
 * {@link #laterCalls_afterUserCodeThrewBetweenTwo_meetWrongOnes} is turned round: the two are made so, the second fails on both ranks, and each later
 * sum is that of the same call.
 */
class DriftTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int LATER = 4;
    private static final long CHAINED = 7;

    private final List<Tensor> tensors = Collections.synchronizedList(new ArrayList<>());

    /** Rank 1 has made the call that follows. */
    private final CompletableFuture<Void> followed = new CompletableFuture<>();

    private Tensor tensor(long... values) {
        Tensor tensor = Tensor.of(values);
        tensors.add(tensor);
        return tensor;
    }

    private static long power(int exponent) {
        return exponent == 0 ? 1 : 10 * power(exponent - 1);
    }

    /** An all-reduce that follows an all-to-all; on rank 0 user code throws in between. */
    private Mono<Work> twoCalls(ProcessGroup group) {
        return group.allToAll(tensor(0, 0), tensor(0, 0)).flatMap(work -> {
            if (group.rank() == 0) {
                throw new IllegalStateException("user code");
            }
            Mono<Work> second = group.allReduce(tensor(CHAINED), ReduceOp.SUM);
            followed.complete(null);
            return second;
        });
    }

    /** {@return what a rank contributes to its later calls: rank 0 powers of ten, rank 1 twice these} */
    private List<Tensor> contributions(int rank) {
        return IntStream.range(0, LATER)
                .mapToObj(i -> tensor((rank + 1) * power(i)))
                .toList();
    }

    /** All-reduces of these, all in flight. {@return those that end of themselves} */
    private static Flux<Work> later(ProcessGroup group, List<Tensor> contributions, int ending) {
        List<Mono<Work>> calls = contributions.stream()
                .map(each -> group.allReduce(each, ReduceOp.SUM))
                .toList();
        calls.subList(ending, calls.size()).forEach(call -> call.subscribe(work -> {}, error -> {}));
        return Flux.merge(calls.subList(0, ending));
    }

    private static List<Long> values(List<Tensor> tensors, int count) {
        return tensors.subList(0, count).stream()
                .map(each -> each.toLongArray()[0])
                .toList();
    }

    @Test
    void laterCalls_afterUserCodeThrewBetweenTwo_meetWrongOnes() {
        List<Tensor> ofOne = contributions(0);
        List<Tensor> ofOther = contributions(1);
        try (LocalWorld world = ReactiveComm.local(2)) {
            ProcessGroup one = world.groups().get(0);
            ProcessGroup other = world.groups().get(1);
            Mono<Work> chained = twoCalls(other).cache();
            chained.subscribe(work -> {}, error -> {});
            assertThat(twoCalls(one)
                            .onErrorResume(IllegalStateException.class, error -> Mono.empty())
                            .blockOptional(LIMIT))
                    .isEmpty();
            followed.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();

            // Rank 1's last call finds nobody: it waits for its deadline, or here for the end of the world.
            Mono<Void> sums = Mono.when(later(one, ofOne, LATER), later(other, ofOther, LATER - 1));
            sums.and(chained).block(LIMIT);
        }

        // Each rank's call of one number has met the other's of another: the right sums are 3, 30, 300 and 3000.
        assertThat(values(ofOne, LATER)).containsExactly(1 + CHAINED, 10 + 2L, 100 + 20L, 1000 + 200L);
        assertThat(values(ofOther, LATER - 1)).containsExactly(2 + 10L, 20 + 100L, 200 + 1000L);
        tensors.forEach(Tensor::close);
    }

    /** Each later call has met its own, on both ranks. */
    private void requireSums(List<Tensor> ofOne, List<Tensor> ofOther) {
        assertThat(values(ofOne, LATER)).containsExactly(3L, 30L, 300L, 3000L);
        assertThat(values(ofOther, LATER)).containsExactly(3L, 30L, 300L, 3000L);
        tensors.forEach(Tensor::close);
    }

    /** The cure: the two are one call, which fails on both ranks and leaves the others as they are. */
    @Test
    void laterCalls_behindACompositeThatFails_areNotTouched() {
        List<Tensor> ofOne = contributions(0);
        List<Tensor> ofOther = contributions(1);
        try (LocalWorld world = ReactiveComm.local(2)) {
            ProcessGroup one = world.groups().get(0);
            ProcessGroup other = world.groups().get(1);
            CompletableFuture<Work> second =
                    other.composite("two calls").mono(this::twoCalls).toFuture();
            assertThatThrownBy(() ->
                            one.composite("two calls").mono(this::twoCalls).block(LIMIT))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(second)
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(InvalidCallException.class)
                    .withMessageContaining("user code");

            Mono.when(later(one, ofOne, LATER), later(other, ofOther, LATER)).block(LIMIT);
        }

        requireSums(ofOne, ofOther);
    }

    /** Another cure, for calls that cannot be one: each step counts for itself, and who waits for what was left out of one is told by the next. */
    @Test
    void laterCalls_ofTheNextStep_areNotTouched() {
        List<Tensor> ofOne = contributions(0);
        List<Tensor> ofOther = contributions(1);
        try (LocalWorld world = ReactiveComm.local(2)) {
            ProcessGroup one = world.groups().get(0);
            ProcessGroup other = world.groups().get(1);
            CompletableFuture<Work> second = twoCalls(other.numbered(0)).toFuture();
            assertThatThrownBy(() -> twoCalls(one.numbered(0)).block(LIMIT)).isInstanceOf(IllegalStateException.class);
            Flux<Work> ownLater = later(one.numbered(1), ofOne, LATER);
            assertThat(second)
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(MismatchException.class)
                    .withMessageContaining("rank 0 is in scope 1 and did not make #1@scope0");

            Mono.when(ownLater, later(other.numbered(1), ofOther, LATER)).block(LIMIT);
        }

        requireSums(ofOne, ofOther);
    }

    /** A training step is such a call: the backward pass is the user's code. */
    @Test
    void laterCallsAndSteps_behindATrainingStepThatFails_areNotTouched() {
        List<Tensor> ofOne = contributions(0);
        List<Tensor> ofOther = contributions(1);
        List<Tensor> gradients = List.of(tensor(0), tensor(0));
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<ProcessGroup> groups = world.groups();
            List<GradientHooks> hooks = groups.stream().map(DriftTest::summing).toList();
            CompletableFuture<?> other =
                    hooks.get(1).run(new Step(gradients.get(1), 2, false)).toFuture();
            assertThatThrownBy(() -> hooks.get(0)
                            .run(new Step(gradients.get(0), 1, true))
                            .block(LIMIT))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(other)
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(InvalidCallException.class)
                    .withMessageContaining("user code");

            Mono<Void> nextStep = Mono.when(
                    hooks.get(0).run(new Step(gradients.get(0), 1, false)),
                    hooks.get(1).run(new Step(gradients.get(1), 2, false)));
            Mono.when(nextStep, later(groups.get(0), ofOne, LATER), later(groups.get(1), ofOther, LATER))
                    .block(LIMIT);
        }

        assertThat(values(gradients, 2)).containsExactly(3L, 3L);
        requireSums(ofOne, ofOther);
    }

    private static GradientHooks summing(ProcessGroup group) {
        GradientHooks hooks = new GradientHooks();
        hooks.register(ParallelHooks.dataParallel(group, ReduceOp.SUM));
        return hooks;
    }

    /** A step of one gradient, in front of which user code throws if it is told to. */
    private record Step(Tensor gradient, long value, boolean throwsFirst) implements TrainingStep {

        @Override
        public Flux<Gradient> gradients() {
            return Flux.just(gradient).map(tensor -> {
                if (throwsFirst) {
                    throw new IllegalStateException("user code");
                }
                tensor.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
                return new Gradient("w", tensor);
            });
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            return Mono.empty();
        }
    }

    /** The remedy: each name counts for itself. */
    @Test
    void laterCalls_underAnotherName_areNotTouched() {
        List<Tensor> ofOne = contributions(0);
        List<Tensor> ofOther = contributions(1);
        try (LocalWorld world = ReactiveComm.local(2)) {
            ProcessGroup one = world.groups().get(0);
            ProcessGroup other = world.groups().get(1);
            twoCalls(other.named("step")).subscribe(work -> {}, error -> {});
            twoCalls(one.named("step"))
                    .onErrorResume(IllegalStateException.class, error -> Mono.empty())
                    .block(LIMIT);

            Mono.when(later(one, ofOne, LATER), later(other, ofOther, LATER)).block(LIMIT);
        }

        requireSums(ofOne, ofOther);
    }
}
