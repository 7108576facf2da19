package io.reactivecomm.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The memory that this process has taken from the C heap, where arenas and direct buffers come from; the JVM itself counts only the latter.
 *
 * <p>glibc tells it in {@code struct mallinfo2}, ten numbers of the size of a pointer. Elsewhere it is not told.
 *
 * <p><b>Source.</b> mallinfo(3).
 */
public final class NativeHeap {

    private static final StructLayout MALLINFO2 = MemoryLayout.structLayout(
            ValueLayout.JAVA_LONG.withName("arena"),
            ValueLayout.JAVA_LONG.withName("ordblks"),
            ValueLayout.JAVA_LONG.withName("smblks"),
            ValueLayout.JAVA_LONG.withName("hblks"),
            ValueLayout.JAVA_LONG.withName("hblkhd"),
            ValueLayout.JAVA_LONG.withName("usmblks"),
            ValueLayout.JAVA_LONG.withName("fsmblks"),
            ValueLayout.JAVA_LONG.withName("uordblks"),
            ValueLayout.JAVA_LONG.withName("fordblks"),
            ValueLayout.JAVA_LONG.withName("keepcost"));

    /** Bytes in blocks that have a mapping of their own. */
    private static final long MAPPED = MALLINFO2.byteOffset(MemoryLayout.PathElement.groupElement("hblkhd"));

    /** Bytes in all other blocks that are in use. */
    private static final long USED = MALLINFO2.byteOffset(MemoryLayout.PathElement.groupElement("uordblks"));

    private static final Optional<MethodHandle> FUNCTION = Linker.nativeLinker()
            .defaultLookup()
            .find("mallinfo2")
            .map(address -> Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(MALLINFO2)));

    private NativeHeap() {}

    /** {@return bytes in use, or 0 where the C library does not tell} */
    public static long usedBytes() {
        return FUNCTION.map(NativeHeap::usedBytes).orElse(0L);
    }

    private static long usedBytes(MethodHandle function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = (MemorySegment) function.invokeExact((SegmentAllocator) arena);
            return info.get(ValueLayout.JAVA_LONG, MAPPED) + info.get(ValueLayout.JAVA_LONG, USED);
        } catch (Throwable e) {
            // The type of a method handle's call; the function itself throws nothing.
            throw new IllegalStateException("a native function threw: function=mallinfo2", e);
        }
    }
}
