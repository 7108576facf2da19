package io.reactivecomm.spi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a program's mapped memory, which are gone once its file is truncated. The JVM throws an {@link InternalError} where it meets one itself;
 * code that goes by address dies of it, and what has been copied until then is garbage.
 *
 * <p><b>Threads.</b> Any that may access the memory.
 */
public final class MappedPages {

    /** The least that a system has: a larger page is touched more than once. */
    private static final int PAGE_BYTES = 4096;

    private static final Object ASKED = new Object();

    /** Whoever reads must have somewhere to put it, or the compiler leaves the reading out. */
    @SuppressWarnings("unused")
    private static byte touched;

    private MappedPages() {}

    /**
     * Throws what compiled code that met a lost one has not thrown yet: it does so at its next safepoint, which may be in a caller. Belongs into the
     * same {@code try} as the access. The JVM looks on its way back from any native method, and this is the cheapest there is.
     */
    public static void hearOfThem() {
        if (Thread.holdsLock(ASKED)) {
            throw new IllegalStateException("nobody locks this");
        }
    }

    /** The same, if one of those may have any. */
    public static void hearOfThem(MemorySegment one, MemorySegment other) {
        if (one.isMapped() || other.isMapped()) {
            hearOfThem();
        }
    }

    /** {@return what the JVM throws where it touches that memory from a place on, or null if all of it is there} */
    public static @Nullable Throwable lost(MemorySegment memory, long from) {
        try {
            for (long at = from; at < memory.byteSize(); at += PAGE_BYTES) {
                touched = memory.get(ValueLayout.JAVA_BYTE, at);
            }
            touched = memory.byteSize() == 0 ? 0 : memory.get(ValueLayout.JAVA_BYTE, memory.byteSize() - 1);
            hearOfThem();
            return null;
        } catch (IllegalStateException | InternalError e) {
            return e;
        }
    }
}
