package io.reactivecomm.internal.memory;

import io.reactivecomm.internal.base.NativeOption;
import io.reactivecomm.internal.base.Warnings;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The C library's heap, from which tensors take their memory: unlike an arena's, it can be freed by whoever knows where it is.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param malloc its function of that name
 * @param calloc its function of that name
 * @param free its function of that name
 */
public record CHeap(MethodHandle malloc, MethodHandle calloc, MethodHandle free) {

    private static final Logger LOG = Warnings.of(CHeap.class);

    /** {@return the heap, or null if this JVM denies native calls to the library} */
    static @Nullable CHeap open() {
        try {
            Linker linker = Linker.nativeLinker();
            FunctionDescriptor malloc = FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
            FunctionDescriptor calloc =
                    FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
            FunctionDescriptor free = FunctionDescriptor.ofVoid(ValueLayout.ADDRESS);
            return new CHeap(
                    linker.downcallHandle(linker.defaultLookup().findOrThrow("malloc"), malloc),
                    linker.downcallHandle(linker.defaultLookup().findOrThrow("calloc"), calloc),
                    linker.downcallHandle(linker.defaultLookup().findOrThrow("free"), free));
        } catch (IllegalCallerException | UnsupportedOperationException | NoSuchElementException e) {
            LOG.warn(
                    "tensors free their memory by close alone: cause={}; pass {} to the JVM",
                    e.toString(),
                    NativeOption.ofLibrary());
            return null;
        }
    }

    /**
     * {@return memory of any content, of which only the address counts; to be {@linkplain #free freed} once}
     *
     * @throws OutOfMemoryError if there is none
     */
    MemorySegment allocate(long bytes) {
        try {
            return required((MemorySegment) malloc.invokeExact(bytes), bytes);
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            throw threw("malloc", e);
        }
    }

    /**
     * As {@link #allocate}, of zeros; a large one is of pages that the system clears when they are first used.
     *
     * @throws OutOfMemoryError if there is none
     */
    MemorySegment allocateCleared(long bytes) {
        try {
            return required((MemorySegment) calloc.invokeExact(1L, bytes), bytes);
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            throw threw("calloc", e);
        }
    }

    private static MemorySegment required(MemorySegment memory, long bytes) {
        if (memory.address() == 0) {
            throw new OutOfMemoryError(
                    "no native memory: bytes=" + bytes + "; close tensors that are not needed, or use smaller ones");
        }
        return memory;
    }

    void free(MemorySegment memory) {
        try {
            free.invokeExact(memory);
        } catch (Throwable e) {
            throw threw("free", e);
        }
    }

    /** The type of a method handle's call: the functions themselves throw nothing. */
    private static IllegalStateException threw(String function, Throwable cause) {
        return new IllegalStateException("a native function threw: function=" + function, cause);
    }

    /** {@return that memory from its first address on that is a multiple of a power of two, as memory of an arena} */
    static MemorySegment view(MemorySegment memory, long bytes, long alignment, Arena arena) {
        long aligned = memory.address() + alignment - 1 & -alignment;
        return MemorySegment.ofAddress(aligned).reinterpret(bytes, arena, null);
    }
}
