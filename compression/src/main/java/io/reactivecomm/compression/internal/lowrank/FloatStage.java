package io.reactivecomm.compression.internal.lowrank;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.HostMemory;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The way between tensors in the host's memory and arrays of float, which the compiler makes vectors of. 16-bit types are converted.
 *
 * <p><b>Threads.</b> One at a time. The memory is that of the longest array that is converted.
 */
final class FloatStage implements AutoCloseable {

    private Tensor stage = Tensor.allocate(DType.FLOAT32, 0);

    /** Reads {@code n} elements from {@code at} on. */
    void read(Tensor from, long at, float[] into, int n) {
        if (from.type() == DType.FLOAT32) {
            MemorySegment.copy(HostMemory.of(from, "from"), JAVA_FLOAT_UNALIGNED, at * Float.BYTES, into, 0, n);
        } else {
            Tensor converted = staged(n);
            HostMoves.run(List.of(Move.copy(from.slice(at, n), converted)));
            read(converted, 0, into, n);
        }
    }

    /** Writes {@code n} elements from {@code at} on. */
    void write(float[] from, Tensor to, long at, int n) {
        if (to.type() == DType.FLOAT32) {
            MemorySegment.copy(from, 0, HostMemory.of(to, "to"), JAVA_FLOAT_UNALIGNED, at * Float.BYTES, n);
        } else {
            Tensor unconverted = staged(n);
            write(from, unconverted, 0, n);
            HostMoves.run(List.of(Move.copy(unconverted, to.slice(at, n))));
        }
    }

    private Tensor staged(int n) {
        if (stage.count() < n) {
            stage.close();
            stage = Tensor.allocate(DType.FLOAT32, n);
        }
        return stage.slice(0, n);
    }

    @Override
    public void close() {
        stage.close();
    }
}
