package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.bucket.GradientBuckets;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.hook.GradientHook;
import io.reactivecomm.hook.GradientHooks;
import io.reactivecomm.hook.ParallelHooks;
import io.reactivecomm.hook.TrainingStep;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A gradient is reduced once over the same ranks, whatever it goes through; over others, and where a rank is alone, as often as one likes.
 */
public abstract class ReducedTwiceContract extends GroupWorld {

    /** An operator that reduces gradients over a group, under a name of its own. */
    private interface Reducer extends BiFunction<ProcessGroup, String, GradientHook> {}

    private static final Reducer HOOK = (group, name) -> ParallelHooks.dataParallel(group.named(name), ReduceOp.SUM);
    private static final Reducer BUCKETS = (group, name) -> closing(GradientBuckets.sum(group.named(name)));

    private static GradientHook closing(GradientBuckets buckets) {
        return ready -> buckets.apply(ready).doFinally(end -> buckets.close());
    }

    final Stream<Arguments> pairs() {
        return Stream.of(
                Arguments.of("hook, hook", HOOK, HOOK),
                Arguments.of("hook, buckets", HOOK, BUCKETS),
                Arguments.of("buckets, hook", BUCKETS, HOOK),
                Arguments.of("buckets, buckets", BUCKETS, BUCKETS));
    }

    /** {@return what each rank's gradient became, or the error} */
    private List<Object> stepOf(List<ProcessGroup> groups, Function<ProcessGroup, GradientHook> hook) {
        List<Mono<Object>> steps = groups.stream()
                .map(group -> Flux.just(new Gradient("w", closedAfterwards(Tensor.of(new float[] {1}))))
                        .transform(hook.apply(group))
                        .<Object>map(reduced -> {
                            float sum = reduced.tensor().toFloatArray()[0];
                            reduced.tensor().close();
                            return sum;
                        })
                        .onErrorResume(Flux::just)
                        .single())
                .toList();
        return Objects.requireNonNull(
                Flux.mergeSequential(steps, steps.size(), 1).collectList().block(LIMIT));
    }

    private static void requireRefused(List<Object> ends) {
        assertThat(ends)
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                InvalidCallException.class,
                                error -> assertThat(error).hasMessageContaining("same ranks before: name=w")));
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    void gradient_reducedTwiceOverTheSameRanks_isAnError(String name, Reducer first, Reducer second) {
        List<ProcessGroup> groups = world(2);

        requireRefused(stepOf(groups, group -> first.apply(group, "first").then(second.apply(group, "second"))));
    }

    /** The same ranks in another group and another order, with a gradient made anew in between, and another reduction behind it. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    void gradient_reducedTwiceByAnotherGroupOfTheSameRanks_isAnError(String name, Reducer first, Reducer second) {
        List<ProcessGroup> groups = world(2);
        List<ProcessGroup> turned = members(made(groups, group -> group.newGroup(1, 0)));
        GradientHook anew = ready -> ready.map(gradient -> new Gradient(gradient.name(), gradient.tensor()));

        requireRefused(stepOf(
                groups,
                group ->
                        first.apply(group, "first").then(anew).then(second.apply(turned.get(group.rank()), "second"))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    void gradient_reducedOverOtherRanks_orAlone_isReducedByEach(String name, Reducer first, Reducer second) {
        List<ProcessGroup> groups = world(4);
        List<ProcessGroup> tensor = members(made(groups, group -> group.split(group.rank() / 2, 0)));
        List<ProcessGroup> data = members(made(groups, group -> group.split(group.rank() % 2, 0)));
        List<ProcessGroup> alone = members(made(groups, group -> group.split(group.rank(), 0)));

        List<Object> ends = stepOf(
                groups,
                group -> first.apply(tensor.get(group.rank()), "first")
                        .then(first.apply(alone.get(group.rank()), "alone"))
                        .then(second.apply(alone.get(group.rank()), "alone too"))
                        .then(second.apply(data.get(group.rank()), "second")));

        assertThat(ends).containsOnly(4f);
    }

    /** Ranks of two worlds may have the same numbers. */
    @Test
    void gradient_reducedOverTheSameNumbersOfTwoWorlds_isReducedByBoth() {
        List<ProcessGroup> inner = world(2);
        List<ProcessGroup> outer = world(2);

        List<Object> ends =
                stepOf(inner, group -> HOOK.apply(group, "first").then(HOOK.apply(outer.get(group.rank()), "second")));

        assertThat(ends).containsOnly(4f);
    }

    @Test
    void gradients_handedOverAgainInTheNextStep_areReducedAgain() {
        List<ProcessGroup> groups = world(2);
        List<GradientBuckets> buckets =
                groups.stream().map(GradientBuckets::sum).toList();
        List<Gradient> gradients = groups.stream()
                .map(group -> new Gradient("w", Tensor.of(new float[] {1})))
                .toList();
        for (int step = 0; step < 3; step++) {
            List<Flux<Gradient>> steps = groups.stream()
                    .map(group -> Flux.just(gradients.get(group.rank())).transform(buckets.get(group.rank())))
                    .toList();
            Flux.merge(steps).blockLast(LIMIT);
        }

        assertThat(gradients)
                .allSatisfy(
                        gradient -> assertThat(gradient.tensor().toFloatArray()).containsExactly(8));
        buckets.forEach(GradientBuckets::close);
        gradients.forEach(gradient -> gradient.tensor().close());
    }

    /** Each rank's second pass would hold the turn that its first one waits for. */
    @Test
    void gradients_throughTheSameBucketsTwice_areAnErrorAtOnce() {
        List<Object> ends = stepOf(world(2), group -> {
            GradientBuckets buckets = GradientBuckets.average(group);
            return ready -> ready.transform(buckets).transform(buckets).doFinally(end -> buckets.close());
        });

        assertThat(ends)
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                CommException.class,
                                error -> assertThat(error).hasMessageContaining("same buckets twice")));
    }

    /** Each micro-batch is a step of its own, and what the outer one reduces is another gradient of the same name. */
    @Test
    void step_thatRunsInsideAnother_isOneOfItsOwn() {
        List<ProcessGroup> groups = world(2);

        List<Object> ends = stepOf(groups, group -> {
            GradientHooks inner = new GradientHooks();
            inner.register(HOOK.apply(group, "inner"));
            GradientHook afterMicroBatches = ready -> ready.concatMap(gradient ->
                    Flux.range(0, 3).concatMap(i -> inner.run(microBatch())).then(Mono.just(gradient)));
            return afterMicroBatches.then(HOOK.apply(group, "outer"));
        });

        assertThat(ends).containsOnly(2f);
    }

    private static TrainingStep microBatch() {
        return new TrainingStep() {

            @Override
            public Flux<Gradient> gradients() {
                return Flux.just(new Gradient("w", Tensor.of(new float[] {1})));
            }

            @Override
            public Mono<Void> takeBack(Gradient reduced) {
                return Mono.fromRunnable(reduced.tensor()::close);
            }
        };
    }
}
