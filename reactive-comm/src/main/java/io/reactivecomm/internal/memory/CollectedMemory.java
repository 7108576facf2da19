package io.reactivecomm.internal.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A block of {@link WorkMemory#COLLECTED}, which holds rubbish at first and from when it is freed: who counts on its content is found out. */
public record CollectedMemory(MemorySegment segment) implements WorkMemory.Block {

    private static final long ALIGNMENT_BYTES = 64;

    private static final byte FRESH = (byte) 0xA5;
    private static final byte FREED = (byte) 0x5A;

    static WorkMemory.@Nullable Block take(long bytes) {
        try {
            return new CollectedMemory(
                    Arena.ofAuto().allocate(bytes, ALIGNMENT_BYTES).fill(FRESH));
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    @Override
    public void free() {
        // The collector does that; until then this is seen by who reads it too late.
        segment.fill(FREED);
    }
}
