package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.device.CudaWorlds;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.train.BucketWorld;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.Scaling;
import io.reactivecomm.train.StepView;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Compressed all-reduces in gradient buckets, of the host's tensors and of a device's. */
class CompressedBucketsTest {

    private static final int RANKS = 2;

    @Nested
    class OnTheHost extends Contract implements LocalWorlds {}

    @Nested
    class OnADevice extends Contract implements DeviceWorlds {}

    @Nested
    class OnADeviceWithKernels extends Contract implements CudaWorlds {}

    abstract static class Contract extends BucketWorld {

        private static final CompressionOptions ONE_BIT = CompressionOptions.inTwoSteps(new OneBit());
        private static final BucketOptions TOGETHER = BucketOptions.DEFAULT.withScaling(Scaling.AVERAGE);

        private List<Parameter> network() {
            return List.of(
                    new Parameter("weights", DType.FLOAT32, home().device(0), 5, 7),
                    new Parameter("bias", DType.FLOAT32, home().device(0), 7));
        }

        private List<CompressedAllReduce> reductions(CompressionOptions options) {
            return List.of(kept(CompressedAllReduce.of(options)), kept(CompressedAllReduce.of(options)));
        }

        private List<GradientBuckets> buckets(
                List<ProcessGroup> groups, List<CompressedAllReduce> reductions, BucketOptions options) {
            return buckets(
                    groups,
                    group -> GradientBuckets.of(group, options.withReducer(reductions.get(group.rank())))
                            .registered(network()));
        }

        private List<Ended> step(List<GradientBuckets> buckets, List<List<Gradient>> gradients) {
            List<Ended> ends =
                    steps(RANKS, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));
            gradients.forEach(BucketWorld::requireReleased);
            return ends;
        }

        private List<List<Gradient>> gradients() {
            return List.of(gradients(network(), 0), gradients(network(), 1));
        }

        private Tensor flat(List<Gradient> gradients) {
            Tensor flat = kept(Tensor.allocate(DType.FLOAT32, 42));
            long from = 0;
            for (Gradient each : gradients) {
                try (Tensor copy = Tensor.of(each.tensor().toFloatArray())) {
                    HostMoves.run(List.of(Move.copy(copy, flat.slice(from, copy.count()))));
                }
                from += each.tensor().count();
            }
            return flat;
        }

        @Test
        void steps_haveTheBitsOfASequentialLoop() {
            List<ProcessGroup> groups = world(RANKS);
            List<CompressedAllReduce> reductions = reductions(ONE_BIT);
            List<GradientBuckets> buckets = buckets(groups, reductions, TOGETHER);
            SequentialReduction expected = kept(new SequentialReduction(ONE_BIT, DType.FLOAT32, 42, RANKS));
            for (int i = 0; i < 3; i++) {
                List<List<Gradient>> gradients = gradients();
                byte[] sum = expected.step(List.of(flat(gradients.get(0)), flat(gradients.get(1))), 0.5);
                step(buckets, gradients).forEach(Ended::requireSuccess);
                for (List<Gradient> reduced : gradients) {
                    assertThat(bytes(flat(reduced))).isEqualTo(sum);
                }
            }
            assertThat(reductions)
                    .allSatisfy(
                            each -> assertThat(each.state().step("bucket 0")).isEqualTo(3));
        }

        /** A gradient that no rank has comes back nowhere, and what earlier steps have lost of it stays; one that a rank has comes back on all, with the same bits. */
        @Test
        void missingGradients_keepTheirResiduals_orComeBackOnAllRanks() {
            List<ProcessGroup> groups = world(RANKS);
            List<CompressedAllReduce> reductions = reductions(ONE_BIT);
            List<GradientBuckets> buckets = buckets(groups, reductions, TOGETHER);
            step(buckets, gradients()).forEach(Ended::requireSuccess);
            List<byte[]> before =
                    reductions.stream().map(each -> biasResidual(each)).toList();

            List<List<Gradient>> gradients = gradients();
            List<Ended> ends = step(
                    buckets,
                    List.of(gradients.get(0).subList(0, 1), gradients.get(1).subList(0, 1)));
            assertThat(ends).allSatisfy(end -> {
                end.requireSuccess();
                assertThat(end.names()).containsExactly("weights");
            });
            for (int rank = 0; rank < RANKS; rank++) {
                assertThat(biasResidual(reductions.get(rank))).isEqualTo(before.get(rank));
            }

            ends = step(buckets, List.of(gradients().get(0), gradients().get(1).subList(0, 1)));
            ends.forEach(Ended::requireSuccess);
            assertThat(ends).allSatisfy(end -> assertThat(end.names()).containsExactlyInAnyOrder("weights", "bias"));
            assertThat(bias(ends.get(0))).isEqualTo(bias(ends.get(1)));
            assertThat(biasResidual(reductions.get(0))).isNotEqualTo(before.get(0));
        }

        /** The first rank has two steps and the second one. The state counts all rounds, also the last, in which no rank has inputs. */
        @Test
        void finishedRank_keepsItsOwnResidual_andThatOfSumsGoesOn() {
            for (CompressionOptions options : List.of(ONE_BIT, CompressionOptions.byGather(new OneBit()))) {
                List<CompressedAllReduce> reductions = reductions(options);
                List<GradientBuckets> buckets = buckets(world(RANKS), reductions, TOGETHER);
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
                if (options == ONE_BIT) {
                    assertThat(after.get(1).getLast()).isNotEqualTo(after.get(0).getLast());
                }
                assertThat(reductions)
                        .allSatisfy(each ->
                                assertThat(each.state().step("bucket 0")).isEqualTo(3));
            }
        }

        private static float[] bias(Ended end) {
            return end.results().stream()
                    .filter(each -> each.name().equals("bias"))
                    .findFirst()
                    .orElseThrow()
                    .tensor()
                    .toFloatArray();
        }

        /** {@return the part of this rank's own residual that belongs to the bias} */
        private byte[] biasResidual(CompressedAllReduce reduction) {
            byte[] residual =
                    reduction.state().snapshot().states().get("bucket 0").kept().getFirst();
            return Arrays.copyOfRange(residual, 35 * Float.BYTES, 42 * Float.BYTES);
        }

        @Test
        void stepThatFails_isDoneAgain_withTheStateOfBefore() {
            List<ProcessGroup> groups = world(RANKS);
            List<CompressedAllReduce> reductions = reductions(ONE_BIT);
            List<GradientBuckets> buckets = buckets(groups, reductions, TOGETHER);
            SequentialReduction expected = kept(new SequentialReduction(ONE_BIT, DType.FLOAT32, 42, RANKS));
            List<List<Gradient>> gradients = gradients();
            List<Ended> ends = steps(
                    RANKS,
                    rank -> rank == 1
                            ? Flux.<Gradient>error(new IllegalStateException("planted"))
                                    .transform(buckets.get(rank))
                            : Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));
            assertThat(ends).allSatisfy(end -> assertThat(end.error()).hasMessageContaining("planted"));
            List<List<Gradient>> again = gradients();
            byte[] sum = expected.step(List.of(flat(again.get(0)), flat(again.get(1))), 0.5);
            step(buckets, again).forEach(Ended::requireSuccess);
            assertThat(bytes(flat(again.get(0)))).isEqualTo(sum);
            assertThat(bytes(flat(again.get(1)))).isEqualTo(sum);
        }

        /** One bucket's result is not finite, and the program leaves out the gradients of both: so both states stay. */
        @Test
        void step_ofWhichOneBucketIsNotFinite_leavesAllStatesAsTheyWere() {
            List<ProcessGroup> groups = world(RANKS);
            BucketOptions apart = TOGETHER.withBucketBytes(64);
            List<CompressedAllReduce> reductions = reductions(ONE_BIT);
            List<CompressedAllReduce> undisturbed = reductions(ONE_BIT);
            List<GradientBuckets> buckets = buckets(groups, reductions, apart);
            List<GradientBuckets> others = buckets(
                    groups.stream().map(group -> group.named("undisturbed")).toList(), undisturbed, apart);
            for (int i = 0; i < 3; i++) {
                List<CompressionSnapshot> before =
                        reductions.stream().map(each -> each.state().snapshot()).toList();
                List<List<Gradient>> bad = gradients();
                Tensor spoilt = bad.get(1).get(i % 2).tensor();
                try (Tensor number = Tensor.of(new float[] {i % 2 == 0 ? Float.NaN : Float.NEGATIVE_INFINITY})) {
                    home().write(number, spoilt.slice(4, 1));
                }
                step(buckets, bad).forEach(Ended::requireSuccess);
                for (int rank = 0; rank < RANKS; rank++) {
                    CompressionState state = reductions.get(rank).state();
                    assertThat(state.nonFinite()).containsExactly("bucket " + i % 2);
                    // The first of all leaves zeros where there was nothing.
                    assertThat(state.step("bucket 0"))
                            .isEqualTo(state.step("bucket 1"))
                            .isEqualTo(i);
                    if (i > 0) {
                        assertThat(state.snapshot()).isEqualTo(before.get(rank));
                    }
                }
                List<List<Gradient>> gradients = gradients();
                List<List<Gradient>> expected = gradients();
                step(buckets, gradients).forEach(Ended::requireSuccess);
                step(others, expected).forEach(Ended::requireSuccess);
                for (int rank = 0; rank < RANKS; rank++) {
                    assertThat(bytes(flat(gradients.get(rank)))).isEqualTo(bytes(flat(expected.get(rank))));
                    assertThat(reductions.get(rank).state().nonFinite()).isEmpty();
                    assertThat(reductions.get(rank).state().snapshot())
                            .isEqualTo(undisturbed.get(rank).state().snapshot());
                }
            }
        }

        @Test
        void codecsThatDiffer_areOneErrorOnAllRanks() {
            List<CompressedAllReduce> reductions = List.of(
                    kept(CompressedAllReduce.of(ONE_BIT)),
                    kept(CompressedAllReduce.of(CompressionOptions.inTwoSteps(BlockQuantization.int8()))));
            List<GradientBuckets> buckets = buckets(world(RANKS), reductions, TOGETHER);
            assertThat(step(buckets, gradients()))
                    .allSatisfy(end -> assertThat(end.error())
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContainingAll("reducer=one-bit on rank 0", "int8"));
        }

        @Test
        void masks_areThoseOfParameters_whereverTheyLie() {
            Mask mask = new Mask(7, List.of(new Mask.Run(1, 2)));
            List<GradientBuckets> buckets = buckets(world(RANKS), reductions(ONE_BIT.withMask("bias", mask)), TOGETHER);
            List<List<Gradient>> gradients = gradients();
            step(buckets, gradients).forEach(Ended::requireSuccess);
            for (List<Gradient> reduced : gradients) {
                assertThat(reduced.getFirst().tensor().toFloatArray()).doesNotContain(0);
                assertThat(Mask.ofZeros(
                                kept(Tensor.of(reduced.getLast().tensor().toFloatArray()))))
                        .isEqualTo(mask);
            }
        }

        /** The codec is the reduction: a hook before buckets that calls it says so, and would be a second one. */
        @Test
        void gradientThatACodecHasReducedBefore_isRefused_andTheErrorSaysWhereCodecsGo() {
            List<ProcessGroup> groups = world(RANKS);
            List<CompressedAllReduce> reductions = reductions(ONE_BIT);
            List<GradientBuckets> buckets = buckets(
                    groups,
                    group ->
                            GradientBuckets.of(group.named("buckets"), TOGETHER).registered(network()));
            List<List<Gradient>> gradients = gradients();
            List<Ended> ends = steps(
                    RANKS,
                    rank -> Flux.fromIterable(gradients.get(rank))
                            .transform(GradientHooks.of(
                                    new Before(groups.get(rank), reductions.get(rank)), buckets.get(rank))));
            assertThat(ends)
                    .allSatisfy(end -> assertThat(end.error())
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContainingAll("same ranks before: name=", "BucketOptions.withReducer"));
        }

        /** A hook that reduces each gradient by a codec. */
        private record Before(ProcessGroup group, CompressedAllReduce codec) implements GradientHook {

            @Override
            public Mono<Gradient> apply(Gradient gradient, StepView step) {
                step.reduces(gradient.name());
                return codec.allReduce(step.group(), gradient.name(), gradient.tensor(), ReduceOp.AVG)
                        .thenReturn(gradient);
            }

            @Override
            public HookScope scope() {
                return HookScope.of(group);
            }
        }

        @Test
        void integers_areRefused() {
            GradientBuckets buckets = kept(GradientBuckets.of(
                    world(1).getFirst(),
                    TOGETHER.withScaling(Scaling.SUM).withReducer(kept(CompressedAllReduce.of(ONE_BIT)))));
            assertThatThrownBy(() -> buckets.registered(List.of(new Parameter("i", DType.INT32, 3))))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("it encodes FLOAT16");
        }
    }
}
