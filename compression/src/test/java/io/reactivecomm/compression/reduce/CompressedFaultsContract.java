package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.TopK;
import io.reactivecomm.testkit.TensorHome;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Faults of codecs, and of what they need, in compressed all-reduces. */
abstract class CompressedFaultsContract extends CompressedWorld {

    /** So many elements that no machine has memory for them. */
    private static final long TOO_MANY = 1L << 50;

    static Stream<Arguments> faults() {
        List<Supplier<Throwable>> errors = List.of(
                () -> new IllegalStateException("planted"),
                () -> new OutOfMemoryError("planted"),
                () -> new NoClassDefFoundError("planted"),
                () -> new InternalError("planted"),
                () -> Exceptions.bubble(new IllegalStateException("planted")));
        return Stream.of("maxEncodedBytes", "encode", "decode", "decodeAndAdd")
                .flatMap(place -> errors.stream().map(error -> Arguments.of(place, error)));
    }

    /** Also one that is fatal to the JVM, which Reactor tells nobody of. A rank that needs nothing more of the others may have its result. */
    @Tag("smoke")
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
        List<CompressedAllReduce> reductions = Stream.of(sound, faulty)
                .map(codec -> kept(CompressedAllReduce.of(CompressionOptions.inTwoSteps(codec))))
                .toList();
        List<End> ends = step(groups, reductions, inputs(DType.FLOAT32, 60, 2, 7), ReduceOp.SUM);
        assertThat(ends.get(1).error()).hasStackTraceContaining("planted");
        if (!place.equals("decode")) {
            assertThat(ends.get(0).error())
                    .isInstanceOf(CommException.class)
                    .hasMessageContaining("planted")
                    .hasMessageNotContaining("a page of a tensor's memory is gone");
        }
        fails.set(false);
        requireSteps(groups, reductions, expected(ONE_BIT, DType.FLOAT32, 60, 2), DType.FLOAT32, 60, ReduceOp.SUM, 1);
    }

    /** Whose lengths are equal, too: nobody is told of bytes that make no sense. */
    @RepeatedTest(5)
    void codecsThatReadOthersBytes_areAMismatch_onAllRanks() {
        List<ProcessGroup> groups = world(3);
        List<CompressedAllReduce> reductions = Stream.of(
                        new TopK(0.2), BlockQuantization.int8(), BlockQuantization.int8())
                .map(codec -> kept(CompressedAllReduce.of(CompressionOptions.byGather(codec))))
                .toList();
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 8, 3, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContainingAll("0.2", "int8"));
    }

    /** The state would be larger than any memory. Who hears of the end may reuse the tensor, also where what failed is fatal to Reactor. */
    @Test
    void memoryOfAState_thatIsNotToBeHad_isAnErrorOnAllRanks_andNothingStaysBorrowed() {
        requireHost();
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        Tensor endless =
                kept(Tensor.wrap(MemorySegment.NULL.reinterpret(TOO_MANY * Float.BYTES), DType.FLOAT32, TOO_MANY));
        List<Tensor> tensors = List.of(inputs(DType.FLOAT32, 60, 1, 7).getFirst(), endless);
        assertThat(step(groups, reductions, tensors, ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(CommException.class));
        tensors.forEach(Tensor::close);
        assertThat(tensors)
                .allSatisfy(each -> assertThat(each.released().toFuture()).isDone());
        requireSteps(groups, reductions, expected(ONE_BIT, DType.FLOAT32, 60, 2), DType.FLOAT32, 60, ReduceOp.SUM, 1);
    }

    /** Its owner may free the memory then. */
    @Test
    void tensor_isReleased_onlyOnceNoThreadOfACodecIsAtIt() throws InterruptedException {
        requireHost();
        List<ProcessGroup> groups = world(2);
        CountDownLatch decoding = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Codec slow = new FaultyCodec(at -> {
            if (at.equals("decode")) {
                decoding.countDown();
                await(goesOn);
            }
        });
        List<CompressedAllReduce> reductions = Stream.of(slow, new FaultyCodec(at -> {}))
                .map(codec -> kept(CompressedAllReduce.of(CompressionOptions.inTwoSteps(codec))))
                .toList();
        List<Tensor> tensors = inputs(DType.FLOAT32, 60, 2, 7);
        CompletableFuture<List<End>> ends = Mono.fromCallable(() -> step(groups, reductions, tensors, ReduceOp.SUM))
                .subscribeOn(Schedulers.boundedElastic())
                .toFuture();
        assertThat(decoding.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Outcome> beside =
                begin(groups.getFirst().named("beside").barrier());
        groups.getFirst().abort("planted");
        // The rank ends all of its calls at once, so this one tells that the step has been ended, too.
        end(beside).error(CommException.class);
        assertThat(tensors.getFirst().released().toFuture()).isNotDone();
        goesOn.countDown();
        tensors.getFirst().released().block(LIMIT);
        assertThat(Mono.fromFuture(ends).block(LIMIT))
                .first()
                .satisfies(end -> assertThat(end.error()).isInstanceOf(CommException.class));
    }

    /** On a device there is no such tensor, and no thread at one. */
    private void requireHost() {
        assumeTrue(home() == TensorHome.HOST, "of tensors of the host");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("a codec was interrupted", e);
        }
    }
}
