package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.compression.device.CudaWorlds;
import io.reactivecomm.testkit.train.BucketWorld;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.Scaling;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** PowerSGD in gradient buckets, of the host's tensors and of a device's. */
class PowerSgdBucketsTest {

    @Nested
    class OnTheHost extends Contract implements LocalWorlds {}

    @Nested
    class OnADevice extends Contract implements DeviceWorlds {}

    @Nested
    @Tag("thorough")
    class OfCuda extends Contract implements CudaWorlds {}

    abstract static class Contract extends BucketWorld {

        private static final int RANKS = 2;

        /** A matrix between two vectors, and one of three dimensions. */
        private List<Parameter> network() {
            return List.of(
                    new Parameter("first", DType.FLOAT32, home().device(0), 7),
                    new Parameter("weights", DType.FLOAT32, home().device(0), 10, 12),
                    new Parameter("bias", DType.FLOAT32, home().device(0), 12),
                    new Parameter("kernel", DType.FLOAT32, home().device(0), 8, 3, 3));
        }

        @Test
        void vectorsAreAveraged_andEachMatrixIsThatOfASequentialLoop() {
            PowerSgdOptions options = PowerSgdOptions.DEFAULT.withStartStep(0);
            List<ProcessGroup> groups = world(RANKS);
            List<PowerSgd> reductions = List.of(kept(PowerSgd.of(options)), kept(PowerSgd.of(options)));
            BucketOptions bucketOptions = BucketOptions.DEFAULT.withScaling(Scaling.AVERAGE);
            List<GradientBuckets> buckets = buckets(
                    groups,
                    group -> GradientBuckets.of(group, bucketOptions.withReducer(reductions.get(group.rank())))
                            .registered(network()));
            SequentialPowerSgd weights = new SequentialPowerSgd(options, 10, 12, RANKS);
            for (int step = 0; step < 3; step++) {
                List<List<Gradient>> gradients = List.of(gradients(network(), 0), gradients(network(), 1));
                float[][] given = {
                    gradients.get(0).get(1).tensor().toFloatArray(),
                    gradients.get(1).get(1).tensor().toFloatArray()
                };
                float[] bias = average(
                        gradients.get(0).get(2).tensor().toFloatArray(),
                        gradients.get(1).get(2).tensor().toFloatArray());
                steps(RANKS, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)))
                        .forEach(Ended::requireSuccess);
                assertThat(gradients.get(0).get(2).tensor().toFloatArray()).isEqualTo(bias);
                requireNear(gradients.get(0).get(1).tensor().toFloatArray(), weights.step(given, 1.0 / RANKS));
                for (int i = 0; i < 4; i++) {
                    assertThat(gradients.get(1).get(i).tensor().toFloatArray())
                            .isEqualTo(gradients.get(0).get(i).tensor().toFloatArray());
                }
            }
            assertThat(reductions)
                    .allSatisfy(
                            each -> assertThat(each.state().step("bucket 0")).isEqualTo(3));
        }

        /** A matrix that no rank has in a step comes back nowhere, and its error stays. */
        @Test
        void missingMatrix_keepsItsError() {
            PowerSgdOptions options = PowerSgdOptions.DEFAULT.withStartStep(0);
            List<ProcessGroup> groups = world(RANKS);
            List<PowerSgd> reductions = List.of(kept(PowerSgd.of(options)), kept(PowerSgd.of(options)));
            List<GradientBuckets> buckets = buckets(
                    groups,
                    group -> GradientBuckets.of(group, BucketOptions.DEFAULT.withReducer(reductions.get(group.rank())))
                            .registered(network()));
            for (boolean isKernelThere : new boolean[] {true, false}) {
                List<byte[]> before = kernelErrors(reductions);
                List<List<Gradient>> gradients = List.of(gradients(network(), 0), gradients(network(), 1));
                List<Ended> ends = steps(
                        RANKS,
                        rank -> Flux.fromIterable(gradients.get(rank).subList(0, isKernelThere ? 4 : 3))
                                .transform(buckets.get(rank)));
                for (Ended end : ends) {
                    end.requireSuccess();
                    assertThat(end.names()).hasSize(isKernelThere ? 4 : 3);
                }
                if (!isKernelThere) {
                    for (int rank = 0; rank < RANKS; rank++) {
                        assertThat(kernelErrors(reductions).get(rank)).isEqualTo(before.get(rank));
                    }
                }
            }
        }

        @Test
        void finishedRank_keepsItsErrors() {
            PowerSgdOptions options = PowerSgdOptions.DEFAULT.withStartStep(0);
            List<PowerSgd> reductions = List.of(kept(PowerSgd.of(options)), kept(PowerSgd.of(options)));
            List<GradientBuckets> buckets = buckets(
                    world(RANKS),
                    group -> GradientBuckets.of(group, BucketOptions.DEFAULT.withReducer(reductions.get(group.rank())))
                            .registered(network()));
            List<List<byte[]>> after = FinishedRank.twoStepsAndOne(
                    buckets,
                    () -> gradients(network(), 0),
                    () -> gradients(network(), 1),
                    () -> reductions
                            .get(1)
                            .state()
                            .snapshot()
                            .states()
                            .get("bucket 0")
                            .kept());
            assertThat(after.get(1).getFirst()).isEqualTo(after.get(0).getFirst());
            assertThat(after.get(1).getLast()).isNotEqualTo(after.get(0).getLast());
        }

        /** {@return the errors of the second matrix, behind the 120 elements of the first} */
        private static List<byte[]> kernelErrors(List<PowerSgd> reductions) {
            return reductions.stream()
                    .map(each -> each.state().snapshot().states().get("bucket 0"))
                    .map(saved -> saved == null
                            ? new byte[0]
                            : Arrays.copyOfRange(saved.kept().getFirst(), 120 * Float.BYTES, 192 * Float.BYTES))
                    .toList();
        }

        private static float[] average(float[] one, float[] other) {
            float[] average = new float[one.length];
            for (int i = 0; i < average.length; i++) {
                average[i] = (one[i] + other[i]) / 2;
            }
            return average;
        }

        private static void requireNear(float[] actual, double[] expected) {
            double largest = 0;
            for (double each : expected) {
                largest = Math.max(largest, Math.abs(each));
            }
            for (int i = 0; i < expected.length; i++) {
                assertThat(Math.abs(actual[i] - expected[i]))
                        .as("element %d", i)
                        .isLessThan(1e-3 * largest);
            }
        }
    }
}
