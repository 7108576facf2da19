package io.reactivecomm.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Words in shared memory that two processes see: each has one writer, and whoever reads it sees all that was written before it. */
final class SharedWords {

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private SharedWords() {}

    static long read(MemorySegment memory, long at) {
        return (long) LONG.getAcquire(memory, at);
    }

    static void write(MemorySegment memory, long at, long value) {
        LONG.setRelease(memory, at, value);
    }

    /** What was read before has been read when this returns. */
    static void afterReading() {
        VarHandle.loadLoadFence();
    }

    /** What was written before is seen by all before anything is read or written after. */
    static void everywhere() {
        VarHandle.fullFence();
    }
}
