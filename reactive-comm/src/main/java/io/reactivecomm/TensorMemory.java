package io.reactivecomm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory of some special kind for tensors, such as memory that other processes see.
 *
 * <p><b>Threads.</b> Any.
 */
public interface TensorMemory {

    /** Has none: tensors are in the process's usual memory. */
    TensorMemory NONE = new TensorMemory() {
        @Override
        public @Nullable MemorySegment take(long byteSize) {
            return null;
        }

        @Override
        public void giveBack(MemorySegment memory) {
            throw new IllegalArgumentException("memory that was not taken here: bytes=" + memory.byteSize());
        }
    };

    /** {@return zeroed memory of exactly that size, aligned to 64 bytes, which any thread may use; null if there is none} */
    @Nullable MemorySegment take(long byteSize);

    /** Takes back what {@link #take} returned; nobody uses it any more. The thread may be one that frees what the collector has found. */
    void giveBack(MemorySegment memory);
}
