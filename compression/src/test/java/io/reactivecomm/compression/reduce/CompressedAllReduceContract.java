package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.Move;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.Threshold;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.compression.internal.state.NamedState;
import io.reactivecomm.compression.internal.state.StateShape;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of compressed all-reduces, over any transport. */
abstract class CompressedAllReduceContract extends WorldContract {

    private static final CompressionOptions ONE_BIT = CompressionOptions.inTwoSteps(new OneBit());

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    final void closeAll() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        open.clear();
    }

    private <T extends AutoCloseable> T kept(T resource) {
        open.add(resource);
        return resource;
    }

    /** The end of a step on one rank. */
    private record End(@Nullable Compressed done, @Nullable Throwable error) {}

    private List<CompressedAllReduce> reductions(int ranks, CompressionOptions options) {
        return IntStream.range(0, ranks).mapToObj(rank -> kept(CompressedAllReduce.of(options))).toList();
    }

    private SequentialReduction expected(CompressionOptions options, DType type, int count, int ranks) {
        return kept(new SequentialReduction(options, type, count, ranks));
    }

    private List<Tensor> inputs(DType type, int count, int ranks, int seed) {
        return IntStream.range(0, ranks).mapToObj(rank -> kept(random(type, count, 31 * seed + rank))).toList();
    }

    private static Tensor random(DType type, int count, int seed) {
        Random dice = new Random(seed);
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) dice.nextGaussian();
        }
        Tensor tensor = Tensor.allocate(type, count);
        try (Tensor floats = Tensor.of(numbers)) {
            HostMoves.run(List.of(Move.copy(floats, tensor)));
        }
        return tensor;
    }

    private static List<End> ends(List<ProcessGroup> groups, Function<ProcessGroup, Mono<Compressed>> call) {
        return Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(
                        group -> call.apply(group).map(done -> new End(done, null)).onErrorResume(error -> Mono.just(new End(null, error))),
                        groups.size())
                .collectList()
                .block(LIMIT));
    }

    private static List<End> step(List<ProcessGroup> groups, List<CompressedAllReduce> reductions, List<Tensor> tensors, Reduction op) {
        return ends(groups, group -> reductions.get(group.rank()).allReduce(group, "x", tensors.get(group.rank()), op));
    }

    private static void requireWell(List<End> ends) {
        assertThat(ends).allSatisfy(end -> assertThat(end.error()).isNull());
    }

    /** Requires so many right steps of random elements. */
    private void requireSteps(
            List<ProcessGroup> groups, List<CompressedAllReduce> reductions, SequentialReduction expected, DType type, int count, Reduction op, int steps) {
        double weight = op == ReduceOp.AVG ? 1.0 / groups.size() : op instanceof PreMulSum scaled ? scaled.factor() : 1;
        for (int i = 0; i < steps; i++) {
            List<Tensor> tensors = inputs(type, count, groups.size(), (int) expected.steps());
            byte[] sum = expected.step(tensors, weight);
            requireWell(step(groups, reductions, tensors, op));
            for (int rank = 0; rank < groups.size(); rank++) {
                assertThat(SequentialReduction.bytes(tensors.get(rank))).as("rank %d, step %d", rank, i).isEqualTo(sum);
            }
        }
    }

    static Stream<CompressionOptions> options() {
        return Stream.of(
                ONE_BIT,
                ONE_BIT.withFeedback(false),
                CompressionOptions.inTwoSteps(BlockQuantization.int8()),
                CompressionOptions.inTwoSteps(BlockQuantization.int4()),
                CompressionOptions.inTwoSteps(Threshold.usual()),
                CompressionOptions.byGather(new TopK(0.1)),
                CompressionOptions.byGather(Threshold.usual()),
                CompressionOptions.byGather(new OneBit()));
    }

    @ParameterizedTest
    @MethodSource("options")
    void steps_haveTheBitsOfASequentialLoop_onAllRanks(CompressionOptions options) {
        List<ProcessGroup> groups = world(3);
        for (int count : new int[] {1, 50, 1001}) {
            List<CompressedAllReduce> reductions = reductions(3, options);
            requireSteps(groups, reductions, expected(options, DType.FLOAT32, count, 3), DType.FLOAT32, count, ReduceOp.AVG, 3);
        }
    }

    static Stream<Arguments> typesAndReductions() {
        return Stream.of(DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64)
                .flatMap(type -> Stream.of(ReduceOp.SUM, ReduceOp.AVG, new PreMulSum(0.3)).map(op -> Arguments.of(type, op)));
    }

    @ParameterizedTest
    @MethodSource("typesAndReductions")
    void typesAndReductions_areThoseOfASequentialLoop(DType type, Reduction op) {
        for (int ranks : new int[] {1, 2}) {
            requireSteps(world(ranks), reductions(ranks, ONE_BIT), expected(ONE_BIT, type, 77, ranks), type, 77, op, 2);
        }
    }

    @ParameterizedTest
    @EnumSource(Exchange.class)
    void exchanges_bringTheSameBits(Exchange exchange) {
        for (Codec codec : List.of(new OneBit(), Threshold.usual())) {
            CompressionOptions options = CompressionOptions.inTwoSteps(codec).withExchange(exchange);
            requireSteps(world(3), reductions(3, options), expected(options, DType.FLOAT32, 200, 3), DType.FLOAT32, 200, ReduceOp.SUM, 2);
        }
    }

    @Test
    void warmUp_isAPlainAllReduce_andThenErrorsAreZeros() {
        List<ProcessGroup> groups = world(2);
        CompressionOptions options = ONE_BIT.withWarmUp(2);
        List<CompressedAllReduce> reductions = reductions(2, options);
        for (int i = 0; i < 2; i++) {
            List<Tensor> tensors = inputs(DType.FLOAT32, 40, 2, 100 + i);
            float[] one = tensors.get(0).toFloatArray();
            float[] other = tensors.get(1).toFloatArray();
            List<End> ends = step(groups, reductions, tensors, ReduceOp.SUM);
            requireWell(ends);
            assertThat(ends).allSatisfy(end -> assertThat(Objects.requireNonNull(end.done()).isCompressed()).isFalse());
            float[] sum = new float[40];
            for (int j = 0; j < 40; j++) {
                sum[j] = one[j] + other[j];
            }
            assertThat(tensors).allSatisfy(each -> assertThat(each.toFloatArray()).isEqualTo(sum));
        }
        requireSteps(groups, reductions, expected(options, DType.FLOAT32, 40, 2), DType.FLOAT32, 40, ReduceOp.SUM, 2);
        assertThat(reductions.getFirst().state().step("x")).isEqualTo(4);
    }

    /** Errors of masked elements go on as if there were no mask. */
    @Test
    void maskedElements_areZeros_inEveryStep_andTheOthersAsWithout() {
        List<ProcessGroup> groups = world(2);
        Mask mask = new Mask(40, List.of(new Mask.Run(0, 1), new Mask.Run(17, 20)));
        CompressionOptions options = ONE_BIT.withWarmUp(1).withMask("x", mask).withMask("y", new Mask(3, List.of()));
        List<CompressedAllReduce> masked = reductions(2, options);
        List<CompressedAllReduce> plain = reductions(2, ONE_BIT.withWarmUp(1));
        for (int i = 0; i < 3; i++) {
            List<Tensor> tensors = inputs(DType.FLOAT32, 40, 2, i);
            List<Tensor> others = inputs(DType.FLOAT32, 40, 2, i);
            requireWell(step(groups, masked, tensors, ReduceOp.AVG));
            requireWell(step(groups, plain, others, ReduceOp.AVG));
            float[] expected = others.getFirst().toFloatArray();
            mask.zeros().forEach(run -> Arrays.fill(expected, (int) run.at(), (int) (run.at() + run.count()), 0));
            assertThat(tensors).allSatisfy(each -> assertThat(each.toFloatArray()).isEqualTo(expected));
        }
    }

    @Test
    void masksThatDiffer_areAMismatch() {
        List<CompressedAllReduce> reductions = Stream.of(0, 1)
                .map(at -> kept(CompressedAllReduce.of(ONE_BIT.withMask("x", new Mask(4, List.of(new Mask.Run(at, 1)))))))
                .toList();
        assertThat(step(world(2), reductions, inputs(DType.FLOAT32, 4, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(MismatchException.class).hasMessageContaining("masking 1 tensor"));
    }

    @Test
    void maskOfOtherElements_isAnErrorOnAll() {
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT.withMask("x", new Mask(5, List.of())));
        assertThat(step(world(2), reductions, inputs(DType.FLOAT32, 4, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(InvalidCallException.class).hasMessageContaining("mask=5"));
    }

    @Test
    void bytesSent_areThoseOfTheArithmetic() {
        List<ProcessGroup> groups = world(2);
        List<End> ends = step(groups, reductions(2, ONE_BIT), inputs(DType.FLOAT32, 1600, 2, 1), ReduceOp.SUM);
        // A part of 800 bits and its scale to the other rank, and the same of sums.
        assertThat(ends).allSatisfy(end -> assertThat(Objects.requireNonNull(end.done()).bytesSent()).isEqualTo(2 * (100 + 8)));
    }

    @Test
    void noElements_areASteps_onAllRanks() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        requireWell(step(groups, reductions, inputs(DType.FLOAT32, 0, 2, 1), ReduceOp.SUM));
        assertThat(reductions).allSatisfy(each -> assertThat(each.state().step("x")).isEqualTo(1));
    }

    @Test
    void rankThatIsAhead_goesBackByOne() {
        for (boolean feedsBack : new boolean[] {true, false}) {
            List<ProcessGroup> groups = world(2);
            CompressionOptions options = ONE_BIT.withFeedback(feedsBack);
            List<CompressedAllReduce> reductions = reductions(2, options);
            SequentialReduction expected = expected(options, DType.FLOAT32, 60, 2);
            requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
            // As if the last step had failed on rank 1 after it went well on rank 0.
            StateShape shape = new StateShape(options.label(), DType.FLOAT32, 60, 2, 0, Passage.kept(Route.TWO_STEPS, new RankParts(60, 2), DType.FLOAT32));
            NamedState ahead = reductions.getFirst().state().take("x", shape);
            HostMoves.run(ahead.next().kept().stream().map(Move::zeros).toList());
            ahead.wentWell(ahead.latest().adapted());
            reductions.getFirst().state().giveBack("x", ahead);
            assertThat(reductions.getFirst().state().step("x")).isEqualTo(3);
            requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
            assertThat(reductions).allSatisfy(each -> assertThat(each.state().step("x")).isEqualTo(4));
        }
    }

    @Test
    void ranksThatAreFartherApart_areAnErrorOnAll() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        SequentialReduction expected = expected(ONE_BIT, DType.FLOAT32, 60, 2);
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
        reductions.get(1).state().reset("x");
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 60, 2, 9), ReduceOp.SUM)).allSatisfy(end -> assertThat(end.error())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("name=x", "steps by rank=[2, 0]", "reset"));
        reductions.get(0).state().reset();
        requireSteps(groups, reductions, expected(ONE_BIT, DType.FLOAT32, 60, 2), DType.FLOAT32, 60, ReduceOp.SUM, 1);
    }

    @Test
    void stepThatFails_changesNoState_andTheNextOneIsRight() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        SequentialReduction expected = expected(ONE_BIT, DType.FLOAT32, 60, 2);
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 1);
        List<Tensor> tensors = inputs(DType.FLOAT32, 60, 2, 7);
        tensors.get(1).close();
        assertThat(step(groups, reductions, tensors, ReduceOp.SUM)).allSatisfy(end -> assertThat(end.error()).isInstanceOf(InvalidCallException.class));
        assertThat(tensors.getFirst().released().toFuture()).isDone();
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
    }

    @Test
    void secondStepOfAName_besideTheFirst_isAnErrorOnAll() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        NamedState taken = reductions.getFirst().state().take("x", new StateShape(ONE_BIT.label(), DType.FLOAT32, 60, 2, 0, Passage.kept(Route.TWO_STEPS, new RankParts(60, 2), DType.FLOAT32)));
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 60, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(InvalidCallException.class).hasMessageContainingAll("one step at a time", "name=x"));
        reductions.getFirst().state().giveBack("x", taken);
        requireWell(step(groups, reductions, inputs(DType.FLOAT32, 60, 2, 7), ReduceOp.SUM));
    }

    @Test
    void codecsThatDiffer_areAMismatch_thoughTheirLengthsAreEqual() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = List.of(
                kept(CompressedAllReduce.of(CompressionOptions.byGather(new TopK(0.5)))), kept(CompressedAllReduce.of(CompressionOptions.byGather(new TopK(0.51)))));
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 4, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(MismatchException.class).hasMessageContaining("0.51"));
    }

    /** Whose lengths are equal, too: nobody is told of bytes that make no sense. */
    @RepeatedTest(5)
    void codecsThatReadOthersBytes_areAMismatch_onAllRanks() {
        List<ProcessGroup> groups = world(3);
        List<CompressedAllReduce> reductions = Stream.of(new TopK(0.2), BlockQuantization.int8(), BlockQuantization.int8())
                .map(codec -> kept(CompressedAllReduce.of(CompressionOptions.byGather(codec))))
                .toList();
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 8, 3, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(MismatchException.class).hasMessageContainingAll("0.2", "int8"));
    }

    @Test
    void stateOfOtherElements_isRefusedOnAll() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        requireWell(step(groups, reductions, inputs(DType.FLOAT32, 60, 2, 7), ReduceOp.SUM));
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 61, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(CommException.class).hasMessageContainingAll("other elements", "× 60", "× 61"));
    }

    @Test
    void whatCannotBeReduced_isRefusedOnAll() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        List<Tensor> integers = List.of(kept(Tensor.of(new int[] {1})), kept(Tensor.of(new int[] {1})));
        assertThat(step(groups, reductions, integers, ReduceOp.SUM)).allSatisfy(end -> assertThat(end.error()).hasMessageContaining("it encodes FLOAT16"));
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 4, 2, 1), ReduceOp.MAX))
                .allSatisfy(end -> assertThat(end.error()).hasMessageContaining("encoded elements are added up"));
    }

    @Test
    void snapshots_goOnWhereTheyWereTaken() {
        List<ProcessGroup> groups = world(2);
        for (CompressionOptions options : List.of(ONE_BIT, CompressionOptions.byGather(Threshold.usual()))) {
            List<CompressedAllReduce> reductions = reductions(2, options);
            SequentialReduction expected = expected(options, DType.BFLOAT16, 60, 2);
            requireSteps(groups, reductions, expected, DType.BFLOAT16, 60, ReduceOp.AVG, 3);
            List<CompressedAllReduce> others = reductions(2, options);
            for (int rank = 0; rank < 2; rank++) {
                byte[] saved = reductions.get(rank).state().snapshot().toBytes();
                others.get(rank).state().restore(CompressionSnapshot.of(saved));
                assertThat(others.get(rank).state().snapshot().toBytes()).isEqualTo(saved);
            }
            requireSteps(groups, others, expected, DType.BFLOAT16, 60, ReduceOp.AVG, 2);
            assertThat(others.getFirst().state().step("x")).isEqualTo(5);
        }
    }

    @Test
    void snapshotOfOtherRanks_keepsTheStep_andForgetsTheErrors() {
        List<CompressedAllReduce> two = reductions(2, ONE_BIT);
        requireSteps(world(2), two, expected(ONE_BIT, DType.FLOAT32, 60, 2), DType.FLOAT32, 60, ReduceOp.SUM, 3);
        List<CompressedAllReduce> three = reductions(3, ONE_BIT);
        for (int rank = 0; rank < 3; rank++) {
            three.get(rank).state().restore(two.get(rank % 2).state().snapshot());
        }
        requireSteps(world(3), three, expected(ONE_BIT, DType.FLOAT32, 60, 3), DType.FLOAT32, 60, ReduceOp.SUM, 1);
        assertThat(three).allSatisfy(each -> assertThat(each.state().step("x")).isEqualTo(4));
    }

    /** Or the next call would begin anew, without an error. */
    @Test
    void snapshot_staysRestored_whenACallIsRefused() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        SequentialReduction expected = expected(ONE_BIT, DType.FLOAT32, 60, 2);
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
        List<CompressedAllReduce> others = reductions(2, ONE_BIT);
        for (int rank = 0; rank < 2; rank++) {
            others.get(rank).state().restore(reductions.get(rank).state().snapshot());
        }
        assertThat(step(groups, others, inputs(DType.FLOAT32, 61, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).hasMessageContaining("other elements"));
        requireSteps(groups, others, expected, DType.FLOAT32, 60, ReduceOp.SUM, 1);
        assertThat(others).allSatisfy(each -> assertThat(each.state().step("x")).isEqualTo(3));
    }

    static Stream<Arguments> faults() {
        List<Supplier<Throwable>> errors = List.of(
                () -> new IllegalStateException("planted"), () -> new OutOfMemoryError("planted"), () -> new NoClassDefFoundError("planted"));
        return Stream.of("maxEncodedBytes", "encode", "decode", "decodeAndAdd").flatMap(place -> errors.stream().map(error -> Arguments.of(place, error)));
    }

    /** Also one that is fatal to the JVM, which Reactor tells nobody of. A rank that needs nothing more of the others may have its result. */
    @ParameterizedTest
    @MethodSource("faults")
    void codecThatFails_onOneRank_endsTheCallOnAll_andTheNextStepIsRight(String place, Supplier<Throwable> error) {
        List<ProcessGroup> groups = world(2);
        AtomicBoolean fails = new AtomicBoolean(true);
        Codec sound = new FaultyCodec(at -> {});
        Codec faulty = new FaultyCodec(at -> {
            if (at.equals(place) && fails.get()) {
                throw Exceptions.propagate(error.get());
            }
        });
        List<CompressedAllReduce> reductions = Stream.of(sound, faulty).map(codec -> kept(CompressedAllReduce.of(CompressionOptions.inTwoSteps(codec)))).toList();
        List<End> ends = step(groups, reductions, inputs(DType.FLOAT32, 60, 2, 7), ReduceOp.SUM);
        assertThat(ends.get(1).error()).hasStackTraceContaining("planted");
        if (!place.equals("decode")) {
            assertThat(ends.get(0).error()).isInstanceOf(CommException.class).hasMessageContaining("planted");
        }
        fails.set(false);
        requireSteps(groups, reductions, expected(ONE_BIT, DType.FLOAT32, 60, 2), DType.FLOAT32, 60, ReduceOp.SUM, 1);
    }

    /** Nothing has gone well with that number of elements. */
    @Test
    void firstCallThatFails_leavesNoState() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        List<Tensor> different = List.of(inputs(DType.FLOAT32, 60, 1, 7).getFirst(), inputs(DType.FLOAT32, 61, 1, 7).getFirst());
        assertThat(step(groups, reductions, different, ReduceOp.SUM)).allSatisfy(end -> assertThat(end.error()).isInstanceOf(MismatchException.class));
        assertThat(reductions).allSatisfy(each -> assertThat(each.state().names()).isEmpty());
        requireSteps(groups, reductions, expected(ONE_BIT, DType.FLOAT32, 61, 2), DType.FLOAT32, 61, ReduceOp.SUM, 1);
    }

    @Test
    void callOnOtherRanks_thatFails_leavesTheErrors() {
        List<ProcessGroup> groups = world(2);
        AtomicBoolean fails = new AtomicBoolean(false);
        CompressionOptions options = CompressionOptions.inTwoSteps(new FaultyCodec(at -> {
            if (fails.get()) {
                throw new IllegalStateException("planted");
            }
        }));
        List<CompressedAllReduce> reductions = reductions(2, options);
        SequentialReduction expected = expected(ONE_BIT, DType.FLOAT32, 60, 2);
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
        fails.set(true);
        assertThat(step(world(1), reductions, inputs(DType.FLOAT32, 60, 1, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).hasMessageContaining("planted"));
        fails.set(false);
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 1);
    }
}
