package io.reactivecomm.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The calls of the C library that the JDK has no method for, on Linux. Each fails with an {@link IOException} that names the call and what
 * the system said.
 *
 * <p><b>Threads.</b> Any; the error of a call is stored for that call alone.
 */
final class Libc {

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** A signal came in between: the JVM has several of its own. */
    private static final int EINTR = 4;

    private static final int MFD_CLOEXEC = 1;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int F_ADD_SEALS = 1033;
    /** No further seals, no shrinking, no growing. */
    private static final int SEALS = 1 | 2 | 4;

    /** Read and write, made anew or not at all, through no link, for no child process; on x86-64 and AArch64 alike. */
    private static final int NEW_FILE = 2 | 0100 | 0200 | 0400000 | 02000000;

    private static final int OWNER_ONLY = 0600;

    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;

    private static final MethodHandle MEMFD_CREATE = call(
            "memfd_create", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle FTRUNCATE =
            call("ftruncate", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
    private static final MethodHandle FCHMOD =
            call("fchmod", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle FCNTL = LINKER.downcallHandle(
            symbol("fcntl"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle OPEN = LINKER.downcallHandle(
            symbol("open"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle FALLOCATE = call(
            "fallocate",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG));
    private static final MethodHandle CLOSE =
            call("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private Libc() {}

    private static MemorySegment symbol(String name) {
        return SymbolLookup.loaderLookup().or(LINKER.defaultLookup()).findOrThrow(name);
    }

    private static MethodHandle call(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(symbol(name), type, Linker.Option.captureCallState("errno"));
    }

    /** A call with a place for its error. */
    private interface Downcall {

        int make(MemorySegment errors) throws Throwable;
    }

    private static int checked(String what, Downcall call) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errors = arena.allocate(CAPTURE);
            int result = call.make(errors);
            if (result < 0) {
                throw new IOException(what + " failed: errno=" + (int) ERRNO.get(errors, 0L));
            }
            return result;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=" + what, e);
        }
    }

    /** {@return the descriptor of a new file in memory, for this user alone, that can be sealed} */
    static int newMemoryFile(String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            int descriptor = checked("memfd_create", errors ->
                    (int) MEMFD_CREATE.invokeExact(errors, text, MFD_CLOEXEC | MFD_ALLOW_SEALING));
            try {
                checked("fchmod", errors -> (int) FCHMOD.invokeExact(errors, descriptor, OWNER_ONLY));
                return descriptor;
            } catch (IOException e) {
                closeAfter(e, descriptor);
                throw e;
            }
        }
    }

    /** {@return the descriptor of a new file at that path, for this user alone} */
    static int newFile(String path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            return checked("open", errors -> (int) OPEN.invokeExact(errors, text, NEW_FILE, OWNER_ONLY));
        }
    }

    /** Gives a file its size; without memory behind it. */
    static void resize(int descriptor, long bytes) throws IOException {
        checked("ftruncate", errors -> (int) FTRUNCATE.invokeExact(errors, descriptor, bytes));
    }

    /** From now on nobody can change the file's size, so no access to a mapping of it ever lies beyond its end. */
    static void seal(int descriptor) throws IOException {
        checked("fcntl(F_ADD_SEALS)", errors -> (int) FCNTL.invokeExact(errors, descriptor, F_ADD_SEALS, SEALS));
    }

    /** Puts zeroed memory behind a part of a file; fails now if there is none, instead of at the first touch. */
    static void reserve(int descriptor, long from, long bytes) throws IOException {
        allocate(descriptor, KEEP_SIZE, from, bytes);
    }

    private static void allocate(int descriptor, int mode, long from, long bytes) throws IOException {
        checked("fallocate", errors -> {
            int result = (int) FALLOCATE.invokeExact(errors, descriptor, mode, from, bytes);
            while (result < 0 && (int) ERRNO.get(errors, 0L) == EINTR) {
                result = (int) FALLOCATE.invokeExact(errors, descriptor, mode, from, bytes);
            }
            return result;
        });
    }

    /** Takes the memory from behind a part of a file. */
    static void release(int descriptor, long from, long bytes) throws IOException {
        allocate(descriptor, KEEP_SIZE | PUNCH_HOLE, from, bytes);
    }

    /** Closes a descriptor with which something has failed: that is what is told. */
    static void closeAfter(IOException failure, int descriptor) {
        try {
            close(descriptor);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    static void close(int descriptor) throws IOException {
        checked("close", errors -> (int) CLOSE.invokeExact(errors, descriptor));
    }
}
