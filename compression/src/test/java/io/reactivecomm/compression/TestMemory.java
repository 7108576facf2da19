package io.reactivecomm.compression;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The memory of many small tests, of which each takes its tensors from the start: to free a tensor's own memory takes longer than a codec's work on it. What tests
 * before have left is still there, so that nothing can count on zeros.
 */
final class TestMemory {

    private static final long BYTES = 4 << 20;
    private static final long ALIGNMENT = 64;

    private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, ALIGNMENT);
    private long used;

    /** Takes all tensors back. */
    void reuse() {
        used = 0;
    }

    /** {@return a tensor of any numbers} */
    Tensor tensor(DType type, long count) {
        MemorySegment segment = memory.asSlice(used, count * type.byteSize());
        used = Math.ceilDiv(used + segment.byteSize(), ALIGNMENT) * ALIGNMENT;
        return Tensor.wrap(segment, type, count);
    }

    /** {@return a tensor of these numbers} */
    Tensor tensor(DType type, double[] numbers) {
        Tensor tensor = tensor(type, numbers.length);
        Numbers.fill(tensor, numbers);
        return tensor;
    }
}
