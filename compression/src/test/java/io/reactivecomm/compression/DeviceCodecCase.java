package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.testkit.NeedsGcc;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A case of codecs in the memory of a CUDA device, which is a double's; it was used without a fault, and nothing is left there. */
@ExtendWith(NeedsGcc.class)
abstract class DeviceCodecCase {

    static final Device GPU = new Device(CudaMemory.KIND, 0);

    static final List<DType> TYPES = List.of(DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32);

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Elements beside a tensor, which nobody may write, and which change what is encoded if they are read. */
    private static final int GUARD = 8;

    private final CudaDouble cuda = CudaDouble.JVM;
    private final List<Tensor> open = new ArrayList<>();
    CudaMemory memory;
    private long heldBefore;

    static Stream<Codec> codecs() {
        return Stream.of(
                new OneBit(),
                BlockQuantization.int8(),
                new BlockQuantization(8, 7),
                new BlockQuantization(8, 1),
                new BlockQuantization(8, 100),
                BlockQuantization.int4(),
                new BlockQuantization(4, 5),
                new BlockQuantization(4, 2048),
                new TopK(0.01),
                new TopK(0.3),
                new TopK(1));
    }

    @BeforeEach
    void open() {
        cuda.forgetFaults();
        heldBefore = cuda.held(CudaDouble.Held.ALLOCATIONS);
        memory = CudaMemory.open(0, "codecs");
    }

    @AfterEach
    void nothingIsLeft() {
        close();
        assertThat(cuda.held(CudaDouble.Held.ALLOCATIONS)).isEqualTo(heldBefore);
        memory.close();
        assertThat(cuda.faults()).isEmpty();
    }

    /** Closes all tensors so far, when what was enqueued on them is done. */
    final void close() {
        open.forEach(Tensor::close);
        open.clear();
    }

    /** {@return the codec on the device} */
    final Codec there(Codec codec) {
        return codec.on(memory.kernels().orElseThrow(), bytes -> memory.allocate(GPU, DType.UINT8, bytes))
                .orElseThrow();
    }

    final Tensor kept(Tensor tensor) {
        open.add(tensor);
        return tensor;
    }

    final void move(Tensor from, Tensor to) {
        memory.move(List.of(Move.copy(from, to))).completed().block(LIMIT);
    }

    /** A tensor in both memories, in the midst of others' elements. */
    final class Twin {

        private final Tensor hostAll;
        private final Tensor gpuAll;
        final Tensor host;
        final Tensor gpu;

        private Twin(DType type, long count, int shift) {
            hostAll = kept(Tensor.allocate(type, count + 2 * GUARD));
            gpuAll = kept(memory.allocate(GPU, type, count + 2 * GUARD));
            hostAll.segment().fill((byte) 0x7A);
            host = hostAll.slice(GUARD - shift, count);
            gpu = gpuAll.slice(GUARD - shift, count);
        }

        /** Copies what the host has to the device. */
        Twin sent() {
            move(hostAll, gpuAll);
            return this;
        }

        /** {@return what the device has, in the host's memory} */
        Tensor received() {
            Tensor copy = kept(Tensor.allocate(gpu.type(), gpu.count()));
            if (gpu.count() > 0) {
                move(gpu, copy);
            }
            return copy;
        }

        private Tensor receivedAll() {
            Tensor copy = kept(Tensor.allocate(gpu.type(), gpuAll.count()));
            move(gpuAll, copy);
            return copy;
        }

        /** Compares both bit by bit, with what is beside them; but for what a NaN carries. */
        void assertSame(String what) {
            Tensor found = receivedAll();
            if (found.segment().mismatch(hostAll.segment()) < 0) {
                return;
            }
            if (host.type() == DType.UINT8) {
                assertThat(found.toByteArray()).as(what).isEqualTo(hostAll.toByteArray());
            }
            long[] bits = Arrays.stream(found.toDoubleArray())
                    .mapToLong(Double::doubleToLongBits)
                    .toArray();
            long[] expected = Arrays.stream(hostAll.toDoubleArray())
                    .mapToLong(Double::doubleToLongBits)
                    .toArray();
            for (int i = 0; i < bits.length; i++) {
                if (bits[i] != expected[i]) {
                    assertThat(Double.longBitsToDouble(bits[i]))
                            .as("%s, element %d of %d with %d beside", what, i, host.count(), GUARD)
                            .isEqualTo(Double.longBitsToDouble(expected[i]));
                }
            }
        }

        /** Checks that what is beside it on the device is what it was. */
        void assertBesideUntouched(String what) {
            byte[] found = receivedAll().view(DType.UINT8, hostAll.byteSize()).toByteArray();
            long first = gpu.address() - gpuAll.address();
            for (int i = 0; i < found.length; i++) {
                if ((i < first || i >= first + gpu.byteSize()) && found[i] != 0x7A) {
                    throw new AssertionError("memory beside a tensor is written: " + what + ", byte=" + i);
                }
            }
        }
    }

    /** {@return a tensor of so many elements, that much before a place that is aligned} */
    final Twin twin(DType type, long count, int shift) {
        return new Twin(type, count, shift);
    }

    /** {@return a tensor of these numbers} */
    final Twin twin(DType type, double[] numbers, int shift) {
        Twin twin = new Twin(type, numbers.length, shift);
        Numbers.fill(twin.host, numbers);
        return twin.sent();
    }

    static double[] doubles(Tensor tensor) {
        return tensor.toDoubleArray();
    }

    static long longAt(Tensor bytes, long at) {
        return bytes.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }
}
