package io.reactivecomm.kernel;

import java.lang.foreign.MemorySegment;

/**
 * The memory outside the heap as loops over vectors reach it, by address, for kernels of other modules.
 *
 * <p>{@link #ALL} tells nothing about what is there: whoever uses it has asked {@link Kernels#hasVectors} and {@link #reaches} before, and sees to it that no memory is
 * freed meanwhile.
 */
public final class VectorMemory {

    /** All memory of the process; an offset is an address. A loop over it meets one kind of segment, whatever other loops of the program meet. */
    public static final MemorySegment ALL = FoldLoops.MEMORY;

    private VectorMemory() {}

    /** {@return whether a loop over vectors may touch the first bytes of a memory: outside the heap, open, of no file and of no other thread} */
    public static boolean reaches(MemorySegment memory, long bytes) {
        return VectorFold.isOpen(memory, bytes);
    }
}
