package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Gradients whose global norm is limited. */
class ClippingTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final LocalWorld world = ReactiveComm.local(2);

    @AfterEach
    void close() {
        world.close();
    }

    /** One rank's step: what it produces, and what came back. */
    private record Step(Flux<Gradient> gradients, Map<String, double[]> results) implements TrainingStep {

        static Step of(Gradient... gradients) {
            return new Step(Flux.just(gradients), new ConcurrentHashMap<>());
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            Tensor tensor = reduced.tensor();
            float[] narrow = tensor.type() == DType.FLOAT32 ? tensor.toFloatArray() : new float[0];
            results.put(
                    reduced.name(),
                    tensor.type() == DType.FLOAT32
                            ? IntStream.range(0, narrow.length)
                                    .mapToDouble(i -> narrow[i])
                                    .toArray()
                            : tensor.toDoubleArray());
            return Mono.empty();
        }
    }

    private List<GradientHooks> runners(Function<ProcessGroup, GradientHooks> making) {
        return world.groups().stream().map(making).toList();
    }

    private static GradientHooks summing(ProcessGroup group) {
        return GradientHooks.of(ParallelHooks.dataParallel(group.named("gradients"), ReduceOp.SUM));
    }

    /** {@return how a step ends on each rank: a {@link StepEnd} or an error} */
    private static List<Object> run(List<GradientHooks> runners, IntFunction<Step> steps) {
        return IntStream.range(0, runners.size())
                .mapToObj(rank -> runners.get(rank)
                        .run(steps.apply(rank))
                        .<Object>map(end -> end)
                        .onErrorResume(Mono::just)
                        .toFuture())
                .toList()
                .stream()
                .map(end -> Mono.fromFuture(end).block(LIMIT))
                .toList();
    }

    private static void requireEnds(List<Object> ends) {
        assertThat(ends).allSatisfy(end -> assertThat(end).isInstanceOf(StepEnd.class));
    }

    /** In other orders on each rank; expectations by a loop over the sums. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT32", "FLOAT64"})
    void clipped_asTheFormulaSays_withEqualBitsOnAllRanks(DType type) {
        SplittableRandom random = new SplittableRandom(51);
        List<String> names = List.of("layer2", "embedding", "layer10", "bias");
        double[][][] values = new double[2][names.size()][];
        for (double[][] rank : values) {
            for (int i = 0; i < names.size(); i++) {
                rank[i] = random.doubles(300 + 701 * i, -1, 1).toArray();
            }
        }
        double squares = 0;
        for (int i = 0; i < names.size(); i++) {
            for (int j = 0; j < values[0][i].length; j++) {
                squares += Math.pow(values[0][i][j] + values[1][i][j], 2);
            }
        }
        double norm = Math.sqrt(squares);
        for (double max : new double[] {norm / 3, norm * 2}) {
            List<Step> steps = IntStream.range(0, 2)
                    .mapToObj(rank -> {
                        List<Gradient> all = new ArrayList<>();
                        for (int i = 0; i < names.size(); i++) {
                            int at = rank == 0 ? i : names.size() - 1 - i;
                            all.add(new Gradient(names.get(at), tensor(type, values[rank][at])));
                        }
                        return Step.of(all.toArray(Gradient[]::new));
                    })
                    .toList();
            requireEnds(run(runners(group -> summing(group).clipByGlobalNorm(max)), steps::get));
            double factor = Math.min(1, max / (norm + 1e-6));
            double tolerance = type == DType.FLOAT32 ? 1e-6 : 1e-12;
            for (int i = 0; i < names.size(); i++) {
                double[] result = steps.getFirst().results.get(names.get(i));
                assertThat(steps.getLast().results.get(names.get(i))).isEqualTo(result);
                for (int j = 0; j < result.length; j++) {
                    double expected = factor * (values[0][i][j] + values[1][i][j]);
                    assertThat(result[j]).isCloseTo(expected, within(tolerance));
                }
            }
        }
    }

    private static Tensor tensor(DType type, double[] values) {
        float[] narrow = new float[values.length];
        for (int i = 0; i < narrow.length; i++) {
            narrow[i] = (float) values[i];
        }
        return type == DType.FLOAT32 ? Tensor.of(narrow) : Tensor.of(values);
    }

    private static Gradient gradient(String name, double... values) {
        return new Gradient(name, Tensor.of(values));
    }

    /** A group whose engine is said to give ranks different bits, as a hook behind the reduction really does here. */
    private static ProcessGroup ofAnotherEngine(ProcessGroup group) {
        return (ProcessGroup) Proxy.newProxyInstance(
                ClippingTest.class.getClassLoader(), new Class<?>[] {ProcessGroup.class}, (self, method, arguments) -> {
                    try {
                        return method.getName().equals("backend") ? "other" : method.invoke(group, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void overAnEngineWithoutEqualBits_theNormOfRank0Counts() {
        List<GradientHooks> runners = runners(group -> {
            GradientHooks hooks = new GradientHooks();
            ProcessGroup other = ofAnotherEngine(group.named("gradients"));
            hooks.register(ParallelHooks.dataParallel(group.named("gradients"), ReduceOp.SUM), HookScope.of(other));
            hooks.register((gradient, step) -> {
                gradient.tensor().set(new double[] {group.rank() == 0 ? 4 : 400});
                return Mono.just(gradient);
            });
            return hooks.clipByGlobalNorm(1);
        });
        for (int step = 0; step < 2; step++) {
            List<Step> steps = List.of(Step.of(gradient("w", 1)), Step.of(gradient("w", 1)));
            requireEnds(run(runners, steps::get));
            assertThat(steps.get(0).results.get("w")[0]).isCloseTo(1, within(1e-5));
            assertThat(steps.get(1).results.get("w")[0]).isCloseTo(100, within(1e-3));
        }
    }

    @Test
    void sparseGradients_countWithTheirRows() {
        List<GradientHooks> runners = runners(group -> GradientHooks.of(GradientBuckets.sum(group.named("gradients"))
                        .registered(List.of(
                                Parameter.sparse("e", DType.FLOAT64, 5, 2), new Parameter("w", DType.FLOAT64, 1))))
                .clipByGlobalNorm(1));
        List<Step> steps = IntStream.range(0, 2)
                .mapToObj(rank -> Step.of(
                        Gradient.sparse(
                                "e",
                                new SparseTensor(
                                        Tensor.of(new long[] {3, rank}),
                                        Tensor.of(new double[] {1, 0, 0, 2}, 2, 2),
                                        5)),
                        gradient("w", 2)))
                .toList();
        requireEnds(run(runners, steps::get));
        // Rows 0 and 1 are (0, 2), row 3 is (2, 0), w is 4.
        double norm = Math.sqrt(4 + 4 + 4 + 16);
        assertThat(steps).allSatisfy(step -> {
            assertThat(step.results.get("w")).containsExactly(new double[] {4 / norm}, within(1e-6));
            assertThat(step.results.get("e"))
                    .containsExactly(new double[] {0, 2 / norm, 0, 2 / norm, 2 / norm, 0}, within(1e-6));
        });
    }

    @Test
    void rowsThatRepeat_areRefused_andTheNextStepIsRight() {
        GradientHooks alone = new GradientHooks().clipByGlobalNorm(1);
        SparseTensor rows = new SparseTensor(Tensor.of(new long[] {2, 2}), Tensor.of(new double[] {1, 1}, 2, 1), 5);
        assertThatThrownBy(() -> alone.run(Step.of(Gradient.sparse("e", rows))).block(LIMIT))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("name=e", "row=2", "not distinct and ascending");
        Step next = Step.of(gradient("w", 3, 4));
        assertThat(alone.run(next).block(LIMIT)).isNotNull();
        assertThat(next.results.get("w")).containsExactly(new double[] {0.6, 0.8}, within(1e-6));
    }

    @Test
    void noGradient_orZeros_orANaN_endAsTheFormulaSays() {
        GradientHooks alone = new GradientHooks().clipByGlobalNorm(1);
        assertThat(alone.run(Step.of()).block(LIMIT)).isEqualTo(new StepEnd(0, 0, 0));
        Step zeros = Step.of(gradient("w", 0, 0));
        alone.run(zeros).block(LIMIT);
        assertThat(zeros.results.get("w")).containsExactly(0, 0);
        Step undefined = Step.of(gradient("v", 5), gradient("w", Double.NaN, 1));
        alone.run(undefined).block(LIMIT);
        assertThat(undefined.results.get("w")).containsOnly(Double.NaN);
        assertThat(undefined.results.get("v")).containsOnly(Double.NaN);
        Step infinite = Step.of(gradient("v", 5), gradient("w", Double.POSITIVE_INFINITY));
        alone.run(infinite).block(LIMIT);
        assertThat(infinite.results.get("w")).containsOnly(Double.NaN);
        assertThat(infinite.results.get("v")).containsExactly(0);
    }

    @Test
    void whatWouldDifferByRank_orHasNoNorm_isRefusedAtOnce() {
        ProcessGroup group = world.groups().getFirst();
        GradientHook dense = ParallelHooks.dataParallel(group);
        requireRefused(hooks -> hooks.register(dense, HookScope.of(group).withNames(name -> true)), "some names only");
        requireRefused(
                hooks -> hooks.register(
                        GradientBuckets.of(group, BucketOptions.DEFAULT.withMissing(MissingGradients.LEFT_OUT))),
                "LEFT_OUT");
        try (LocalWorld alone = ReactiveComm.local(1)) {
            requireRefused(
                    hooks -> {
                        hooks.register(dense);
                        hooks.register(ParallelHooks.dataParallel(alone.groups().getFirst()));
                    },
                    "groups of different members");
        }
        requireRefused(
                hooks -> hooks.register(GradientBuckets.sum(group)
                        .registered(List.of(new Parameter("a", DType.FLOAT32, new Device("cuda", 0), 1)))),
                "it is on a device");
        requireRefused(
                hooks -> hooks.register(
                        GradientBuckets.sum(group).registered(List.of(new Parameter("a", DType.INT32, 1)))),
                "its type has no norm");
        for (double max : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> new GradientHooks().clipByGlobalNorm(max))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("max=" + max);
        }
    }

    /** When the hook is registered with the view, when the view is made, and when a hook came to the runner behind it. */
    private static void requireRefused(Consumer<GradientHooks> registering, String why) {
        GradientHooks hooks = new GradientHooks();
        GradientHooks clipping = hooks.clipByGlobalNorm(1);
        List<Throwable> refusals = List.of(
                catchThrowable(() -> registering.accept(new GradientHooks().clipByGlobalNorm(1))),
                catchThrowable(() -> {
                    registering.accept(hooks);
                    hooks.clipByGlobalNorm(1);
                }),
                catchThrowable(() -> clipping.run(Step.of()).block(LIMIT)));
        assertThat(refusals)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining(why));
    }

    @Test
    void integerGradient_failsTheStepOnAllRanks() {
        List<GradientHooks> runners = runners(group -> summing(group).clipByGlobalNorm(1));
        assertThat(run(runners, rank -> Step.of(new Gradient("w", Tensor.of(new int[] {1})))))
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                InvalidCallException.class,
                                error -> assertThat(error).hasMessageContainingAll("cannot be clipped", "name=w")));
        requireSoundStep(runners);
    }

    private static void requireSoundStep(List<GradientHooks> runners) {
        List<Step> steps = List.of(Step.of(gradient("w", 3)), Step.of(gradient("w", 4)));
        requireEnds(run(runners, steps::get));
        assertThat(steps)
                .allSatisfy(step -> assertThat(step.results.get("w")).containsExactly(new double[] {1}, within(1e-6)));
    }

    @Test
    void otherLimitOnOneRank_isAMismatch() {
        List<GradientHooks> runners = runners(group -> summing(group).clipByGlobalNorm(group.rank() == 0 ? 1 : 2));
        assertThat(run(runners, rank -> Step.of(gradient("w", 1))))
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                MismatchException.class,
                                error ->
                                        assertThat(error).hasMessageContainingAll("clipped to 1.0", "clipped to 2.0")));
    }

    /** The first gradient is held as the pass fails or is cancelled: nothing is handed out, and the next step is right. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void passThatFailsOrIsCancelledInTheMiddle_handsNothingOut(boolean isCancelled) {
        List<GradientHooks> runners = runners(group -> summing(group).clipByGlobalNorm(1));
        Step broken = new Step(
                Flux.concat(
                        Flux.just(gradient("v", 1)),
                        isCancelled ? Flux.never() : Flux.error(new IllegalStateException("planted"))),
                new ConcurrentHashMap<>());
        Step other = new Step(Flux.concat(Flux.just(gradient("v", 1)), Flux.never()), new ConcurrentHashMap<>());
        Mono<StepEnd> second = runners.get(1).run(other);
        Disposable first = runners.get(0).run(broken).subscribe(end -> {}, error -> {});
        if (isCancelled) {
            Disposable both = second.subscribe(end -> {}, error -> {});
            first.dispose();
            both.dispose();
        } else {
            assertThatThrownBy(() -> second.block(LIMIT)).hasMessageContaining("planted");
        }
        assertThat(broken.results).isEmpty();
        assertThat(other.results).isEmpty();
        requireSoundStep(runners);
    }
}
