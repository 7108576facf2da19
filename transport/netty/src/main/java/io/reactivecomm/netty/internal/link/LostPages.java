package io.reactivecomm.netty.internal.link;

import io.netty.channel.unix.Errors;
import io.reactivecomm.spi.link.MappedPages;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a program's memory that are gone, as the system tells of them: it reads and writes by address, and fails the call. That must not pass for
 * a broken connection.
 *
 * <p><b>Threads.</b> The loop.
 */
final class LostPages {

    /** What Linux calls EFAULT. */
    private static final int BAD_ADDRESS = 14;

    private LostPages() {}

    /** {@return what the JVM would have thrown in the place of a system call that failed, or null if that has another reason} */
    static @Nullable Throwable behind(IOException problem, MemorySegment memory) {
        if (problem instanceof Errors.NativeIoException error && Math.abs(error.expectedErr()) == BAD_ADDRESS) {
            return new InternalError("the system could not reach memory: bytes=" + memory.byteSize(), problem);
        }
        // The JDK's channels say what it was in words only. Mapped memory the JVM can touch without dying of it.
        return memory.isMapped() ? MappedPages.lost(memory, 0) : null;
    }
}
