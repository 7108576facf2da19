package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ranks with different numbers of inputs: those that have finished take part in the others' steps. */
class UnevenInputsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int WIDTH = 5;
    private static final int BATCH = 4;
    private static final double RATE = 0.05;

    /** One rank's linear model of two parts, in FLOAT64: a batch is four samples, and its loss their mean square error. */
    private static final class Model implements TrainingStep {

        private final double[] weights = new double[2 * WIDTH];
        private final Map<String, double[]> results = new ConcurrentHashMap<>();
        private double[][] batch = {};
        private boolean lacksSecond;

        TrainingStep on(double[][] next) {
            batch = next;
            return this;
        }

        @Override
        public Flux<Gradient> gradients() {
            double[] gradient = gradient(weights, batch);
            Gradient first = new Gradient("first", Tensor.of(Arrays.copyOf(gradient, WIDTH)));
            Gradient second = new Gradient("second", Tensor.of(Arrays.copyOfRange(gradient, WIDTH, 2 * WIDTH)));
            return lacksSecond ? Flux.just(first) : Flux.just(second, first);
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            results.put(reduced.name(), reduced.tensor().toDoubleArray());
            return Mono.empty();
        }

        /** Steps the optimizer. */
        void step() {
            results.forEach((name, gradient) -> {
                int from = name.equals("first") ? 0 : WIDTH;
                for (int i = 0; i < WIDTH; i++) {
                    weights[from + i] -= RATE * gradient[i];
                }
            });
            results.clear();
        }
    }

    /** {@return the gradient of the mean square error} @param batch samples, with their targets last */
    private static double[] gradient(double[] weights, double[][] batch) {
        double[] gradient = new double[weights.length];
        for (double[] sample : batch) {
            double error = -sample[weights.length];
            for (int i = 0; i < weights.length; i++) {
                error += weights[i] * sample[i];
            }
            for (int i = 0; i < weights.length; i++) {
                gradient[i] += 2 * error * sample[i] / batch.length;
            }
        }
        return gradient;
    }

    private static List<double[][]> batches(int count, SplittableRandom random) {
        List<double[][]> batches = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            double[][] batch = new double[BATCH][];
            for (int j = 0; j < BATCH; j++) {
                batch[j] = random.doubles(2 * WIDTH + 1, -1, 1).toArray();
            }
            batches.add(batch);
        }
        return batches;
    }

    private static GradientBuckets buckets(ProcessGroup group, Scaling scaling) {
        BucketOptions options = BucketOptions.DEFAULT.withScaling(scaling).withBucketBytes(8 * WIDTH);
        return GradientBuckets.of(group.named("gradients"), options)
                .registered(List.of(
                        new Parameter("second", DType.FLOAT64, WIDTH), new Parameter("first", DType.FLOAT64, WIDTH)));
    }

    private static GradientHooks hooks(ProcessGroup group) {
        return GradientHooks.of(buckets(group, Scaling.AVERAGE)).withUnevenInputs();
    }

    /** {@return this rank's training: its batches, then the others' steps} */
    private static Mono<StepEnd> training(GradientHooks hooks, Model model, List<double[][]> batches) {
        return Flux.fromIterable(batches)
                .concatMap(batch -> hooks.run(model.on(batch)).doOnNext(end -> model.step()))
                .then(Mono.defer(() -> hooks.finished(model, end -> Mono.fromRunnable(model::step))));
    }

    private static List<StepEnd> all(List<Mono<StepEnd>> ranks) {
        return Flux.mergeSequential(ranks, ranks.size(), 1).collectList().block(LIMIT);
    }

    static List<Arguments> worlds() {
        List<Arguments> all = new ArrayList<>();
        for (Divisor divisor : Divisor.values()) {
            for (int[] counts : new int[][] {{5, 7}, {11, 7}, {7, 0}, {5, 7, 11}, {11, 5, 7}, {6, 6, 6}}) {
                all.add(Arguments.of(divisor, counts));
            }
        }
        return all;
    }

    /** One rank sees in each step the batches of all active ranks as one. Their mean is over active ranks; over the world, the sum is divided by its size. */
    @ParameterizedTest
    @MethodSource("worlds")
    void replicas_equalOneRankThatSeesAllBatches_andEachOtherBitByBit(Divisor divisor, int[] counts) {
        SplittableRandom random = new SplittableRandom(51);
        List<List<double[][]>> data =
                IntStream.of(counts).mapToObj(count -> batches(count, random)).toList();
        int most = IntStream.of(counts).max().orElseThrow();
        double[] expected = new double[2 * WIDTH];
        for (int step = 0; step < most; step++) {
            List<double[]> together = new ArrayList<>();
            int active = 0;
            for (List<double[][]> own : data) {
                if (step < own.size()) {
                    active++;
                    together.addAll(List.of(own.get(step)));
                }
            }
            double[] gradient = gradient(expected, together.toArray(double[][]::new));
            double share = divisor == Divisor.ACTIVE_RANKS ? 1 : (double) active / counts.length;
            for (int i = 0; i < expected.length; i++) {
                expected[i] -= RATE * share * gradient[i];
            }
        }
        List<Model> models = data.stream().map(own -> new Model()).toList();
        try (LocalWorld world = ReactiveComm.local(counts.length)) {
            List<StepEnd> ends = all(IntStream.range(0, counts.length)
                    .mapToObj(rank -> training(
                            GradientHooks.of(buckets(world.groups().get(rank), Scaling.AVERAGE))
                                    .withUnevenInputs(divisor),
                            models.get(rank),
                            data.get(rank)))
                    .toList());
            assertThat(ends).allSatisfy(end -> assertThat(end).isEqualTo(new StepEnd(most, 0, 0)));
        }
        for (Model model : models) {
            assertThat(model.weights).isEqualTo(models.getFirst().weights);
            for (int i = 0; i < expected.length; i++) {
                assertThat(model.weights[i]).isCloseTo(expected[i], within(1e-12 * Math.abs(expected[i])));
            }
        }
    }

    static List<Scaling> scalings() {
        return List.of(Scaling.SUM, Scaling.AVERAGE, Scaling.PRESCALE, Scaling.predivide(2));
    }

    /** Ranks 0 and 1 of three have 3 and 5; rank 2 has finished. */
    @ParameterizedTest
    @MethodSource("scalings")
    void averagesOfEachScaling_areOverActiveRanks_andSumsAreNot(Scaling scaling) {
        try (LocalWorld world = ReactiveComm.local(3)) {
            List<Map<String, Double>> results = List.of(new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
            List<GradientHooks> runners = world.groups().stream()
                    .map(group -> GradientHooks.of(GradientBuckets.of(group, BucketOptions.DEFAULT.withScaling(scaling))
                                    .registered(List.of(
                                            new Parameter("w", DType.FLOAT64, 1),
                                            Parameter.sparse("e", DType.FLOAT64, 4, 1))))
                            .withUnevenInputs(Divisor.ACTIVE_RANKS))
                    .toList();
            Map<String, Double> finished = new ConcurrentHashMap<>();
            all(IntStream.range(0, 3)
                    .mapToObj(rank -> rank == 2
                            ? runners.get(2).finished(given(finished), end -> Mono.empty())
                            : runners.get(rank)
                                    .run(given(
                                            results.get(rank),
                                            new Gradient("w", Tensor.of(new double[] {3 + 2 * rank})),
                                            rows(3 + 2 * rank)))
                                    .then(runners.get(rank)
                                            .finished(given(new ConcurrentHashMap<>()), end -> Mono.empty())))
                    .toList());
            double expected = scaling == Scaling.SUM ? 8 : 4;
            assertThat(List.of(results.get(0), results.get(1), finished)).allSatisfy(each -> {
                assertThat(each.get("w")).isCloseTo(expected, within(1e-12));
                assertThat(each.get("e")).isCloseTo(expected, within(1e-12));
            });
        }
    }

    private static Gradient rows(double value) {
        return Gradient.sparse(
                "e", new SparseTensor(Tensor.of(new long[] {2}), Tensor.of(new double[] {value}, 1, 1), 4));
    }

    private static TrainingStep given(Map<String, Double> results, Gradient... gradients) {
        return new TrainingStep() {
            @Override
            public Flux<Gradient> gradients() {
                return Flux.just(gradients);
            }

            @Override
            public Mono<Void> takeBack(Gradient reduced) {
                results.put(reduced.name(), reduced.tensor().toDoubleArray()[0]);
                return Mono.empty();
            }
        };
    }

    private static List<Model> models(LocalWorld world) {
        return world.groups().stream().map(group -> new Model()).toList();
    }

    /** A gradient that the last active rank lacks comes back nowhere; one that it has in its home comes back in all homes. */
    @Test
    void gradientsInHomes_andMissingOnes_comeBackAlike() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<GradientBuckets> buckets = world.groups().stream()
                    .map(group -> buckets(group, Scaling.SUM))
                    .toList();
            List<List<Gradient>> homes =
                    buckets.stream().map(GradientBuckets::allocate).toList();
            homes.get(1).forEach(home -> home.tensor().set(new double[] {9, 9, 9, 9, 9}));
            List<GradientHooks> runners = buckets.stream()
                    .map(each -> GradientHooks.of(each).withUnevenInputs())
                    .toList();
            Map<String, Double> finished = new ConcurrentHashMap<>();
            homes.get(0).get(0).tensor().set(new double[] {1, 2, 3, 4, 5});
            List<Mono<StepEnd>> ranks = List.of(
                    runners.get(0)
                            .run(given(new ConcurrentHashMap<>(), homes.get(0).get(0)))
                            .then(runners.get(0).finished(given(new ConcurrentHashMap<>()), end -> Mono.empty())),
                    runners.get(1).finished(given(finished), end -> {
                        assertThat(homes.get(1).get(0).tensor().toDoubleArray()).containsExactly(1, 2, 3, 4, 5);
                        return Mono.empty();
                    }));
            all(ranks);
            assertThat(finished).isEqualTo(Map.of("second", 1.0));
            buckets.forEach(GradientBuckets::close);
        }
    }

    @Test
    void throwOnEarlyTermination_failsTheFirstStepThatARankHasFinished_onAllRanks() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            SplittableRandom random = new SplittableRandom(1);
            List<Model> models = models(world);
            List<Mono<Object>> ranks = IntStream.range(0, 2)
                    .mapToObj(rank -> training(
                                    hooks(world.groups().get(rank)).throwOnEarlyTermination(),
                                    models.get(rank),
                                    batches(3 + rank, random))
                            .<Object>map(end -> end)
                            .onErrorResume(Mono::just))
                    .toList();
            assertThat(Flux.mergeSequential(ranks, 2, 1).collectList().block(LIMIT))
                    .allSatisfy(end -> assertThat(end)
                            .isInstanceOfSatisfying(
                                    InvalidCallException.class,
                                    error -> assertThat(error)
                                            .hasMessageContainingAll(
                                                    "ranks have no further inputs while others have",
                                                    "finished=[0]",
                                                    "step=3")));
            assertThat(models).allSatisfy(model -> assertThat(model.results).isEmpty());
        }
    }

    @Test
    void throwOnEarlyTermination_isNoErrorWhereAllFinishTogether() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            SplittableRandom random = new SplittableRandom(1);
            List<StepEnd> ends = all(world.groups().stream()
                    .map(group -> training(hooks(group).throwOnEarlyTermination(), new Model(), batches(2, random)))
                    .toList());
            assertThat(ends).containsExactly(new StepEnd(2, 0, 0), new StepEnd(2, 0, 0));
        }
    }

    /** After the end the next epoch begins. */
    @Test
    void finishedTwice_inTwoEpochs_numbersGoOn() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            SplittableRandom random = new SplittableRandom(1);
            List<GradientHooks> runners =
                    world.groups().stream().map(UnevenInputsTest::hooks).toList();
            List<Model> models = models(world);
            for (int epoch = 0; epoch < 2; epoch++) {
                int longer = epoch;
                List<StepEnd> ends = all(IntStream.range(0, 2)
                        .mapToObj(rank ->
                                training(runners.get(rank), models.get(rank), batches(rank == longer ? 3 : 1, random)))
                        .toList());
                assertThat(ends).extracting(StepEnd::step).containsOnly(3L + 4 * epoch);
            }
            assertThat(models.get(1).weights).isEqualTo(models.get(0).weights);
        }
    }

    @Test
    void finishedWithPendingMicroSteps_isAnError_andIsRightAfterAFlush() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<GradientHooks> runners = world.groups().stream()
                    .map(group -> GradientHooks.of(buckets(group, Scaling.SUM))
                            .withUnevenInputs()
                            .withAccumulation(4, Accumulation.LIBRARY))
                    .toList();
            Gradient fresh = new Gradient("first", Tensor.of(new double[] {1, 1, 1, 1, 1}));
            Map<String, Double> shorter = new ConcurrentHashMap<>();
            runners.get(0).run(given(shorter, fresh)).block(LIMIT);
            assertThatThrownBy(() -> runners.get(0)
                            .finished(given(shorter), end -> Mono.empty())
                            .block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContainingAll("microSteps=1", "of=4", "flush()");
            Map<String, Double> longer = new ConcurrentHashMap<>();
            Mono<StepEnd> full = Flux.range(0, 8)
                    .concatMap(i -> runners.get(1).run(given(longer, new Gradient("first", Tensor.of(new double[] {
                        1, 1, 1, 1, 1
                    })))))
                    .then(Mono.defer(() -> runners.get(1).finished(given(longer), end -> Mono.empty())));
            List<Double> rounds = new ArrayList<>();
            Mono<StepEnd> flushed = runners.get(0)
                    .flush()
                    .doOnNext(end -> rounds.add(shorter.get("first")))
                    .then(Mono.defer(() -> runners.get(0).finished(given(shorter), end -> {
                        rounds.add(shorter.get("first"));
                        return Mono.empty();
                    })));
            all(List.of(full, flushed));
            assertThat(rounds).containsExactly(5.0, 4.0);
        }
    }

    @Test
    void clippingAndSkippedSteps_areThoseOfActiveRanks() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<GradientHooks> runners = world.groups().stream()
                    .map(group -> hooks(group)
                            .withFiniteCheck(FiniteCheck.SKIP, group.named("check"))
                            .clipByGlobalNorm(1))
                    .toList();
            Map<String, Double> results = new ConcurrentHashMap<>();
            List<StepEnd.Kind> kinds = new ArrayList<>();
            Mono<StepEnd> finished = runners.get(1).finished(given(results), end -> {
                kinds.add(end.kind());
                return Mono.empty();
            });
            Mono<StepEnd> active = Flux.just(Double.NaN, 60.0)
                    .concatMap(value -> runners.get(0)
                            .run(given(
                                    new ConcurrentHashMap<>(),
                                    new Gradient("first", Tensor.of(new double[] {value, 0, 0, 0, 80})))))
                    .then(Mono.defer(() -> runners.get(0).finished(given(results), end -> Mono.empty())));
            all(List.of(active, finished));
            assertThat(kinds).containsExactly(StepEnd.Kind.SKIPPED, StepEnd.Kind.REDUCED);
            assertThat(results.get("first")).isCloseTo(0.6, within(1e-6));
        }
    }

    /** The rank that trains on fails in the middle; the other hears of it, subscribes again, and both end right. */
    @Test
    void failedRound_isAnErrorOfTheFinishedRank_whichMayGoOn() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<GradientHooks> runners =
                    world.groups().stream().map(UnevenInputsTest::hooks).toList();
            Mono<StepEnd> finished = runners.get(1).finished(given(new ConcurrentHashMap<>()), end -> Mono.empty());
            Mono<StepEnd> first = finished.cache();
            first.subscribe(end -> {}, error -> {});
            TrainingStep broken = new TrainingStep() {
                @Override
                public Flux<Gradient> gradients() {
                    return Flux.error(new IllegalStateException("planted"));
                }

                @Override
                public Mono<Void> takeBack(Gradient reduced) {
                    return Mono.empty();
                }
            };
            assertThatThrownBy(() -> runners.get(0).run(broken).block(LIMIT)).hasMessageContaining("planted");
            assertThatThrownBy(() -> first.block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContainingAll("planted", "rank=0");
            List<StepEnd> ends = all(
                    List.of(runners.get(0).finished(given(new ConcurrentHashMap<>()), end -> Mono.empty()), finished));
            assertThat(ends).extracting(StepEnd::step).containsOnly(1L);
        }
    }

    @Test
    void cancelledRound_isAnErrorOfTheActiveRank_andTheNextIsRight() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<GradientHooks> runners =
                    world.groups().stream().map(UnevenInputsTest::hooks).toList();
            Mono<StepEnd> finished = runners.get(1).finished(given(new ConcurrentHashMap<>()), end -> Mono.empty());
            Disposable round = finished.subscribe();
            round.dispose();
            Gradient gradient = new Gradient("first", Tensor.of(new double[WIDTH]));
            assertThatThrownBy(() -> runners.get(0)
                            .run(given(new ConcurrentHashMap<>(), gradient))
                            .block(LIMIT))
                    .isInstanceOf(GroupClosedException.class);
            all(List.of(runners.get(0).finished(given(new ConcurrentHashMap<>()), end -> Mono.empty()), finished));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void steppedThatFails_endsThisRanksPart_afterItsRound(boolean throwsAtOnce) {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<GradientHooks> runners =
                    world.groups().stream().map(UnevenInputsTest::hooks).toList();
            Mono<StepEnd> finished = runners.get(1)
                    .finished(given(new ConcurrentHashMap<>()), end -> {
                        if (throwsAtOnce) {
                            throw new IllegalStateException("planted");
                        }
                        return Mono.error(new IllegalStateException("planted"));
                    })
                    .cache();
            finished.subscribe(end -> {}, error -> {});
            assertThat(runners.get(0)
                            .run(given(new ConcurrentHashMap<>(), new Gradient("first", Tensor.of(new double[WIDTH]))))
                            .block(LIMIT))
                    .isNotNull();
            assertThatThrownBy(() -> finished.block(LIMIT)).hasMessageContaining("planted");
        }
    }

    @Test
    void lossOfTheLastActiveRank_isAnErrorOfTheFinishedOne() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<GradientHooks> runners =
                    world.groups().stream().map(UnevenInputsTest::hooks).toList();
            Mono<StepEnd> finished = runners.get(1)
                    .finished(given(new ConcurrentHashMap<>()), end -> Mono.empty())
                    .cache();
            finished.subscribe(end -> {}, error -> {});
            world.groups().get(0).close();
            assertThatThrownBy(() -> finished.block(LIMIT)).isInstanceOf(CommException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(Divisor.class)
    void rankWithOtherTerms_getsAMismatch(Divisor divisor) {
        try (LocalWorld world = ReactiveComm.local(2)) {
            GradientHooks even = GradientHooks.of(buckets(world.groups().get(0), Scaling.AVERAGE));
            List<GradientHooks> others = List.of(
                    divisor == Divisor.WORLD_SIZE ? even : even.withUnevenInputs(Divisor.WORLD_SIZE),
                    GradientHooks.of(buckets(world.groups().get(1), Scaling.AVERAGE))
                            .withUnevenInputs(Divisor.ACTIVE_RANKS));
            List<Mono<Object>> ranks = others.stream()
                    .map(each -> each.run(given(
                                    new ConcurrentHashMap<>(), new Gradient("first", Tensor.of(new double[WIDTH]))))
                            .<Object>map(end -> end)
                            .onErrorResume(Mono::just))
                    .toList();
            assertThat(Flux.mergeSequential(ranks, 2, 1).collectList().block(LIMIT))
                    .allSatisfy(end -> assertThat(end)
                            .isInstanceOfSatisfying(
                                    MismatchException.class,
                                    error -> assertThat(error)
                                            .hasMessageContainingAll("active ranks, averages over ACTIVE_RANKS")));
        }
    }

    @Test
    void hooksThatCannotFinish_areRefusedAtOnce() {
        try (LocalWorld world = ReactiveComm.local(2);
                LocalWorld alone = ReactiveComm.local(1)) {
            ProcessGroup group = world.groups().getFirst();
            GradientBuckets registered = buckets(group, Scaling.SUM);
            requireRefused(hooks -> hooks.register(ParallelHooks.dataParallel(group)), "no GradientBuckets");
            requireRefused(hooks -> hooks.register(GradientBuckets.sum(group)), "not registered");
            requireRefused(
                    hooks -> hooks.register(
                            GradientBuckets.of(group, BucketOptions.DEFAULT.withMissing(MissingGradients.LEFT_OUT))
                                    .registered(List.of(new Parameter("a", DType.FLOAT32, 1)))),
                    "LEFT_OUT");
            requireRefused(
                    hooks -> {
                        hooks.register(registered);
                        hooks.register(buckets(alone.groups().getFirst(), Scaling.SUM));
                    },
                    "groups of different members");
            assertThatThrownBy(() -> new GradientHooks().finished(given(Map.of()), end -> Mono.empty()))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("withUnevenInputs()");
            assertThatThrownBy(() -> new GradientHooks().throwOnEarlyTermination())
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("withUnevenInputs()");
            assertThat(catchThrowable(() -> new GradientHooks()
                            .withUnevenInputs()
                            .run(given(Map.of()))
                            .block(LIMIT)))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("register GradientBuckets");
        }
    }

    private static void requireRefused(Consumer<GradientHooks> registering, String why) {
        GradientHooks hooks = new GradientHooks();
        GradientHooks uneven = hooks.withUnevenInputs();
        List<Throwable> refusals = List.of(
                catchThrowable(() -> registering.accept(new GradientHooks().withUnevenInputs())),
                catchThrowable(() -> {
                    registering.accept(hooks);
                    hooks.withUnevenInputs();
                }),
                catchThrowable(() -> uneven.run(given(Map.of())).block(LIMIT)),
                catchThrowable(() ->
                        uneven.finished(given(Map.of()), end -> Mono.empty()).block(LIMIT)));
        assertThat(refusals)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining(why));
    }
}
