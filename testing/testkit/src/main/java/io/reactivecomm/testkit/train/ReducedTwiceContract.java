package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GroupWorld;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import io.reactivecomm.train.TrainingStep;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
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
    private final Reducer buckets = (group, name) -> kept(GradientBuckets.sum(group.named(name)));

    private final Queue<GradientBuckets> open = new ConcurrentLinkedQueue<>();

    private GradientBuckets kept(GradientBuckets buckets) {
        open.add(buckets);
        return buckets;
    }

    @AfterEach
    final void closeBuckets() {
        open.forEach(GradientBuckets::close);
    }

    final Stream<Arguments> pairs() {
        return Stream.of(
                Arguments.of("hook, hook", HOOK, HOOK),
                Arguments.of("hook, buckets", HOOK, buckets),
                Arguments.of("buckets, hook", buckets, HOOK),
                Arguments.of("buckets, buckets", buckets, buckets));
    }

    /** {@return what each rank's gradient became, or the error} */
    private List<Object> stepOf(List<ProcessGroup> groups, Function<ProcessGroup, List<GradientHook>> hooks) {
        List<Mono<Object>> steps = groups.stream()
                .map(group -> Flux.just(new Gradient("w", closedAfterwards(Tensor.of(new float[] {1}))))
                        .transform(GradientHooks.of(hooks.apply(group).toArray(GradientHook[]::new)))
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

        requireRefused(stepOf(groups, group -> List.of(first.apply(group, "first"), second.apply(group, "second"))));
    }

    /** The same ranks in another group and another order, with a gradient made anew in between, and another reduction behind it. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    void gradient_reducedTwiceByAnotherGroupOfTheSameRanks_isAnError(String name, Reducer first, Reducer second) {
        List<ProcessGroup> groups = world(2);
        List<ProcessGroup> turned = members(made(groups, group -> group.newGroup(1, 0)));
        GradientHook anew = (gradient, step) -> Mono.just(new Gradient(gradient.name(), gradient.tensor()));

        requireRefused(stepOf(
                groups,
                group -> List.of(first.apply(group, "first"), anew, second.apply(turned.get(group.rank()), "second"))));
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
                group -> List.of(
                        first.apply(tensor.get(group.rank()), "first"),
                        first.apply(alone.get(group.rank()), "alone"),
                        second.apply(alone.get(group.rank()), "alone too"),
                        second.apply(data.get(group.rank()), "second")));

        assertThat(ends).containsOnly(4f);
    }

    /** Ranks of two worlds may have the same numbers. */
    @Test
    void gradient_reducedOverTheSameNumbersOfTwoWorlds_isReducedByBoth() {
        List<ProcessGroup> inner = world(2);
        List<ProcessGroup> outer = world(2);

        List<Object> ends = stepOf(
                inner, group -> List.of(HOOK.apply(group, "first"), HOOK.apply(outer.get(group.rank()), "second")));

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
            GradientBuckets buckets = kept(GradientBuckets.average(group));
            return List.of(buckets, buckets);
        });

        assertThat(ends)
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                CommException.class,
                                error -> assertThat(error).hasMessageContaining("in two steps at once")));
    }

    /** Each micro-batch is a step of its own, and what the outer one reduces is another gradient of the same name. */
    @Test
    void step_thatRunsInsideAnother_isOneOfItsOwn() {
        List<ProcessGroup> groups = world(2);

        List<Object> ends = stepOf(groups, group -> {
            GradientHooks inner = GradientHooks.of(HOOK.apply(group, "inner"));
            GradientHook afterMicroBatches = (gradient, step) ->
                    Flux.range(0, 3).concatMap(i -> inner.run(microBatch())).then(Mono.just(gradient));
            return List.of(afterMicroBatches, HOOK.apply(group, "outer"));
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
