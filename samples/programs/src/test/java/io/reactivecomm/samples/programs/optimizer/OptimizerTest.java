package io.reactivecomm.samples.programs.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.CompressionOptions;
import io.reactivecomm.compression.reduce.Mask;
import io.reactivecomm.testkit.LocalWorldRuns;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Optimizers on made-up gradients, beside the papers' algorithms in double arithmetic: within 1e-5 of parameters of size 1 after 24 steps in FLOAT32. */
@Timeout(60)
class OptimizerTest {

    /** Neither whole bytes nor equal parts. */
    private static final int COUNT = 91;

    private static final int[] BOUNDS = {0, 71, 91};
    private static final List<LayerRange> RANGES =
            List.of(new LayerRange("weight", 0, 71), new LayerRange("bias", 71, 91));
    private static final int STEPS = 24;
    private static final long WARM_UP = 9;
    private static final float RATE = 0.01f;
    private static final ZeroOneSchedule SCHEDULE = new ZeroOneSchedule(2, 8, 8, 4);
    private static final AdamOptions ADAM = AdamOptions.DEFAULT.withEpsilon(1e-4f);
    private static final LambOptions LAMB = LambOptions.DEFAULT.withMoments(ADAM);

    private static boolean isUnused(int i) {
        return i % 10 == 3;
    }

    private static boolean[] unused() {
        boolean[] unused = new boolean[COUNT];
        for (int i = 0; i < COUNT; i++) {
            unused[i] = isUnused(i);
        }
        return unused;
    }

    private static float[] start() {
        SplittableRandom random = new SplittableRandom(11);
        float[] start = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            start[i] = (float) random.nextDouble(-1, 1);
        }
        return start;
    }

    /** Of sizes from 0.01 to 1, with a part that all ranks have in common; some elements only get theirs later, some never. */
    private static float[] gradient(int rank, int step) {
        SplittableRandom common = new SplittableRandom(1000 + step);
        SplittableRandom own = new SplittableRandom(31L * step + rank);
        float[] gradient = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            double size = i < BOUNDS[1] ? 0.01 + i / 100.0 : 0.05;
            double value = size * (0.3 + common.nextDouble(-1, 1) + own.nextDouble(-1, 1));
            gradient[i] = isUnused(i) || i % 10 == 4 && step < 12 ? 0 : (float) value;
        }
        return gradient;
    }

    private static double[][] gradients(int ranks, int step) {
        double[][] gradients = new double[ranks][];
        for (int rank = 0; rank < ranks; rank++) {
            gradients[rank] = SequentialOptimizer.doubles(gradient(rank, step));
        }
        return gradients;
    }

    private static CompressionOptions oneBit(long warmUp) {
        float[] ones = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            ones[i] = isUnused(i) ? 0 : 1;
        }
        try (Tensor marked = Tensor.of(ones)) {
            return CompressionOptions.inTwoSteps(new OneBit())
                    .withWarmUp(warmUp)
                    .withMask(RankAverage.COMPRESSED, Mask.ofZeros(marked));
        }
    }

    /** {@return each rank's parameters after all steps} */
    private static List<float[]> train(
            int ranks, CompressionOptions options, boolean compressesAlone, Function<RankAverage, Optimizer> make)
            throws Exception {
        return LocalWorldRuns.onEachRank(ranks, group -> train(group, options, compressesAlone, make));
    }

    private static float[] train(
            ProcessGroup group,
            CompressionOptions options,
            boolean compressesAlone,
            Function<RankAverage, Optimizer> make) {
        Scheduler compute = Schedulers.newSingle("compute", true);
        try (CompressedAllReduce compression = CompressedAllReduce.of(options);
                RankAverage average = new RankAverage(group, compute, COUNT, compression, compressesAlone)) {
            Optimizer optimizer = make.apply(average);
            float[] parameters = start();
            for (int step = 0; step < STEPS; step++) {
                float[] gradient = gradient(group.rank(), step);
                float rate = rate(step);
                Mono.defer(() -> optimizer.step(parameters, gradient, rate))
                        .subscribeOn(compute)
                        .block();
            }
            optimizer.settle(parameters).subscribeOn(compute).block();
            return parameters;
        } finally {
            compute.dispose();
        }
    }

    private static float rate(int step) {
        return RATE * (STEPS - step) / STEPS;
    }

    private static double[] expected(int ranks, SequentialOptimizer oracle) {
        for (int step = 0; step < STEPS; step++) {
            oracle.step(gradients(ranks, step), rate(step));
        }
        oracle.settle();
        return oracle.x;
    }

    private static UnaryOperator<double[][]> compressed(int ranks) {
        SequentialOneBit oneBit = new SequentialOneBit(ranks, COUNT, unused());
        return values -> new double[][] {oneBit.average(values)};
    }

    private static UnaryOperator<double[][]> exact() {
        return values -> new double[][] {SequentialOptimizer.mean(values)};
    }

    private static void requireClose(List<float[]> ranks, double[] expected) {
        for (int i = 0; i < COUNT; i++) {
            assertThat((double) ranks.getFirst()[i]).as("parameter %d", i).isCloseTo(expected[i], within(1e-5));
        }
        assertThat(ranks)
                .allSatisfy(each -> assertThat(Arrays.equals(each, ranks.getFirst()))
                        .as("bits of all ranks are equal")
                        .isTrue());
        float[] start = start();
        for (int i = 0; i < COUNT; i++) {
            assertThat(ranks.getFirst()[i] == start[i])
                    .as("parameter %d stays", i)
                    .isEqualTo(isUnused(i) || i % 10 == 4 && expected[i] == start[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void adam_isThatOfThePaper(int ranks) throws Exception {
        SequentialOptimizer oracle = new SequentialOptimizer.OfAdam(start(), 1e-4f, STEPS, exact());
        requireClose(
                train(ranks, oneBit(0), false, average -> new Adam(average, ADAM, COUNT)), expected(ranks, oracle));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void oneBitAdam_isAlgorithm1(int ranks) throws Exception {
        SequentialOptimizer oracle = new SequentialOptimizer.OfAdam(start(), 1e-4f, WARM_UP, compressed(ranks));
        requireClose(
                train(ranks, oneBit(WARM_UP), true, average -> new OneBitAdam(average, ADAM, COUNT)),
                expected(ranks, oracle));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void zeroOneAdam_isAlgorithm1(int ranks) throws Exception {
        Set<Long> variances = Set.of(0L, 1L, 2L, 4L, 6L);
        Set<Long> meetings = Set.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 9L, 11L, 13L, 15L, 19L, 23L);
        SequentialOptimizer oracle =
                new SequentialZeroOneAdam(start(), 1e-8f, ranks, variances, meetings, compressed(ranks));
        requireClose(
                train(
                        ranks,
                        oneBit(0),
                        true,
                        average -> new ZeroOneAdam(average, AdamOptions.DEFAULT, SCHEDULE, COUNT)),
                expected(ranks, oracle));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void lamb_isThatOfThePaper(int ranks) throws Exception {
        SequentialOptimizer oracle = new SequentialOptimizer.OfLamb(start(), 1e-4f, BOUNDS, STEPS, exact());
        requireClose(
                train(ranks, oneBit(0), false, average -> new Lamb(average, LAMB, RANGES)), expected(ranks, oracle));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void oneBitLamb_isAlgorithm1(int ranks) throws Exception {
        SequentialOptimizer oracle = new SequentialOptimizer.OfLamb(start(), 1e-4f, BOUNDS, WARM_UP, compressed(ranks));
        requireClose(
                train(ranks, oneBit(WARM_UP), true, average -> new OneBitLamb(average, LAMB, RANGES)),
                expected(ranks, oracle));
    }

    /** Whatever the variance: it is frozen all the same. */
    @Test
    void oneRank_doesNotCompress_unlessItIsToldTo() throws Exception {
        SequentialOptimizer oracle = new SequentialOptimizer.OfAdam(start(), 1e-4f, WARM_UP, exact());
        requireClose(
                train(1, oneBit(WARM_UP), false, average -> new OneBitAdam(average, ADAM, COUNT)), expected(1, oracle));
    }

    @Test
    void warmUpWithoutEnd_hasTheBitsOfTheParent() throws Exception {
        assertThat(train(2, oneBit(STEPS), false, average -> new OneBitAdam(average, ADAM, COUNT))
                        .toArray(float[][]::new))
                .isDeepEqualTo(train(2, oneBit(0), false, average -> new Adam(average, ADAM, COUNT))
                        .toArray(float[][]::new));
        assertThat(train(2, oneBit(STEPS), false, average -> new OneBitLamb(average, LAMB, RANGES))
                        .toArray(float[][]::new))
                .isDeepEqualTo(train(2, oneBit(0), false, average -> new Lamb(average, LAMB, RANGES))
                        .toArray(float[][]::new));
    }

    @Test
    void ranksThatAreOnTheirOwn_meetWhenTheySettle() throws Exception {
        ZeroOneSchedule apart = new ZeroOneSchedule(2, 1, 1000, 16);
        List<float[]> ranks =
                train(3, oneBit(0), false, average -> new ZeroOneAdam(average, AdamOptions.DEFAULT, apart, COUNT));
        assertThat(ranks).allMatch(each -> Arrays.equals(each, ranks.getFirst()));
        assertThat(ranks.getFirst()).isNotEqualTo(start());
    }

    @Test
    void noWarmUp_isRefused() throws Exception {
        LocalWorldRuns.onEachRank(1, group -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> train(group, oneBit(0), false, average -> new OneBitAdam(average, ADAM, COUNT)))
                    .withMessageContaining("no warm-up")
                    .withMessageContaining("warmUpSteps=0");
            return true;
        });
    }

    @ParameterizedTest
    @CsvSource({"2, 0", "-0.1, 1e-8", "NaN, 1e-8"})
    void adamOptions_outOfRange_areRefused(float beta, float epsilon) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AdamOptions(beta, 0.9f, epsilon))
                .withMessageContaining("no such Adam");
    }
}
