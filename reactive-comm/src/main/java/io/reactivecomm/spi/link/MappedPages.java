package io.reactivecomm.spi.link;

import io.reactivecomm.internal.base.LateFaults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a program's mapped memory, which are lost once its file is truncated. The JVM throws an {@link InternalError} if its own code reads a lost page. Native
 * code that reads it ends the process.
 *
 * <p><b>Threads.</b> Any that may access the memory.
 */
public final class MappedPages {

    /** The smallest page size of all systems. A larger page is read more than once. */
    private static final int PAGE_BYTES = 4096;

    /** Keeps the compiler from leaving out the reads. */
    @SuppressWarnings("unused")
    private static byte touched;

    private MappedPages() {}

    /**
     * Throws the fault of a lost page that compiled code has met and the JVM has not thrown yet: it would do so at the thread's next safepoint, which may be in a
     * caller. Call it in the same {@code try} as the access.
     */
    public static void hearOfThem() {
        LateFaults.throwPending();
    }

    /** The same, if one of the segments is mapped. */
    public static void hearOfThem(MemorySegment one, MemorySegment other) {
        if (one.isMapped() || other.isMapped()) {
            hearOfThem();
        }
    }

    /** {@return the error that the JVM throws where it reads the memory from an offset on, or null if all pages are there} */
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
