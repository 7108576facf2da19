package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.internal.memory.CountedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;

/** Memory of tensors that nobody closes: it is given back, and not before nothing can touch it any more. */
@Timeout(60)
class TensorReachabilityTest {

    private static final byte CONTENT = 42;

    private final CountedMemory memory = new CountedMemory();

    private Tensor tensor() {
        Tensor tensor = Tensor.allocate(memory, DType.INT8, 100);
        tensor.segment().fill(CONTENT);
        return tensor;
    }

    @Test
    void tensor_dropped_isGivenBackOnce() {
        drop(10);
        assertThat(memory.isGivenBack(10)).isTrue();
        CountedMemory.collectAll();
        assertThat(memory.givenBack()).isEqualTo(10);
    }

    private void drop(int count) {
        for (int i = 0; i < count; i++) {
            tensor();
        }
    }

    @Test
    void tensor_closed_isGivenBackAtOnce_andOnce() {
        close();
        assertThat(memory.givenBack()).isEqualTo(1);
        CountedMemory.collectAll();
        assertThat(memory.givenBack()).isEqualTo(1);
    }

    private void close() {
        Tensor tensor = tensor();
        MemorySegment segment = tensor.segment();
        ByteBuffer buffer = segment.asByteBuffer();
        tensor.close();
        tensor.close();
        assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> buffer.get(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tensor::segment).isInstanceOf(IllegalStateException.class);
    }

    /** An object that a program may have kept of a tensor, and the way in which it reads from that. */
    record Kept(Function<Tensor, Object> of, Function<Object, Byte> read) {}

    private static Arguments kept(String what, Function<Tensor, Object> of, Function<Object, Byte> read) {
        return Arguments.of(what, new Kept(of, read));
    }

    private static Arguments segment(String what, Function<MemorySegment, MemorySegment> of) {
        return kept(
                what,
                tensor -> of.apply(tensor.segment()),
                kept -> ((MemorySegment) kept).get(ValueLayout.JAVA_BYTE, 1));
    }

    private static Arguments buffer(String what, Function<ByteBuffer, ByteBuffer> of) {
        return kept(what, tensor -> of.apply(tensor.segment().asByteBuffer()), kept -> ((ByteBuffer) kept).get(1));
    }

    static Stream<Arguments> whatIsKept() {
        Function<Object, Byte> elements = kept -> ((Tensor) kept).toByteArray()[1];
        return Stream.of(
                kept("tensor", tensor -> tensor, elements),
                kept("slice", tensor -> tensor.slice(10, 20), elements),
                kept("slice of a slice", tensor -> tensor.slice(10, 20).slice(5, 5), elements),
                segment("segment", segment -> segment),
                segment("slice of a segment", segment -> segment.asSlice(10, 20)),
                segment("read-only segment", MemorySegment::asReadOnly),
                segment("segment of another size", segment -> segment.reinterpret(50)),
                segment(
                        "element of a stream",
                        segment -> segment.elements(ValueLayout.JAVA_BYTE)
                                .toList()
                                .get(7)
                                .reinterpret(2)),
                segment(
                        "segment of a buffer",
                        segment -> MemorySegment.ofBuffer(segment.asByteBuffer().slice(10, 20))),
                buffer("buffer", buffer -> buffer),
                buffer("slice of a buffer", buffer -> buffer.slice(10, 20)),
                buffer("duplicate, read-only", buffer -> buffer.duplicate().asReadOnlyBuffer()),
                kept(
                        "ints in a buffer",
                        tensor -> tensor.segment().asByteBuffer().asIntBuffer(),
                        kept -> (byte) ((java.nio.IntBuffer) kept).get(1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("whatIsKept")
    void memory_somethingOfItIsKept_staysAsLong(String what, Kept kept) {
        Object part = kept.of.apply(tensor());
        CountedMemory.collectAll();
        assertThat(memory.givenBack()).as("given back while a %s is kept", what).isZero();
        assertThat(kept.read.apply(part)).isEqualTo(CONTENT);
        Reference.reachabilityFence(part);
        part = null;
        assertThat(memory.isGivenBack(1))
                .as("given back once the %s is gone", what)
                .isTrue();
    }

    /** The program has dropped the tensor and even its subscription; the other rank is late. */
    @Test
    void memory_ofARunningCall_staysUntilItsEnd() throws Exception {
        try (LocalWorld world = ReactiveComm.local(2)) {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            begin(world.groups().get(0), ended).dispose();
            CountedMemory.collectAll();
            assertThat(memory.givenBack()).as("while the call runs").isZero();

            try (Tensor other = Tensor.of(new byte[100])) {
                world.groups().get(1).allReduce(other, ReduceOp.SUM).block();
                assertThat(other.toByteArray()).containsOnly(CONTENT);
            }
            ended.get(20, TimeUnit.SECONDS);
            assertThat(memory.isGivenBack(1)).as("after its end").isTrue();
        }
    }

    private Disposable begin(ProcessGroup group, CompletableFuture<Void> ended) {
        Tensor tensor = tensor();
        Disposable call = group.allReduce(tensor, ReduceOp.SUM).subscribe();
        tensor.released().subscribe(null, null, () -> ended.complete(null));
        return call;
    }

    @Test
    void memory_closedWhileBorrowed_isGivenBackByTheLastCall() {
        Tensor tensor = tensor();
        assertThat(tensor.borrow()).isTrue();
        tensor.close();
        assertThat(memory.givenBack()).isZero();
        assertThat(tensor.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(CONTENT);
        tensor.giveBack();
        assertThat(memory.givenBack()).isEqualTo(1);
    }

    @Test
    void allocate_anySize_isZeroed_andAligned() {
        for (long bytes : List.of(0L, 1L, 63L, 64L, 4096L, 5L << 20)) {
            try (Tensor tensor = Tensor.allocate(DType.INT8, bytes)) {
                assertThat(tensor.segment().byteSize()).isEqualTo(bytes);
                assertThat(tensor.segment().address() % 64).isZero();
                assertThat(tensor.segment().mismatch(MemorySegment.ofArray(new byte[(int) bytes])))
                        .isEqualTo(-1);
                tensor.segment().fill(CONTENT);
            }
        }
    }

    @Test
    void allocate_moreThanThereIs_isAnOutOfMemoryError() {
        for (long bytes : List.of(Long.MAX_VALUE, Long.MAX_VALUE - 64, 1L << 60)) {
            assertThatThrownBy(() -> Tensor.allocate(DType.INT8, bytes)).isInstanceOf(OutOfMemoryError.class);
        }
    }
}
