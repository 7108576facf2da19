package io.reactivecomm.internal.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The source of an engine's own memory, beside that of tensors: for pieces that wait, and for calls that need room to work.
 *
 * <p><b>Threads.</b> Any.
 */
public interface WorkMemory {

    /**
     * The process's own, which nobody touches before its user does: on a loop a page is used for the first time when a piece comes to it, and not
     * all pages of a large block at once. A large one that is freed there is given back to the system by another thread.
     */
    WorkMemory PROCESS = bytes -> {
        try {
            return NativeMemory.uncleared(bytes);
        } catch (OutOfMemoryError e) {
            return null;
        }
    };

    /**
     * The JVM's own, which the collector frees: for simulations, which are the same each time and thousands a second. It is filled with
     * rubbish, the same each time, when it is taken and when it is freed.
     */
    WorkMemory COLLECTED = CollectedMemory::take;

    /** {@return memory of that size and any content, aligned to 64 bytes, which any thread may use; null if the machine has none} */
    @Nullable Block take(long bytes);

    /** Memory in use. */
    interface Block {

        /** {@return the memory} */
        MemorySegment segment();

        /** Gives the memory back; called once, and nobody touches it afterwards. */
        void free();
    }
}
