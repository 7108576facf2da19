package io.reactivecomm.rcomm.hosts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The calls of the C library that the JDK has no method for, on Linux. Each fails with an {@link IOException} that names the call and what
 * the system said.
 *
 * <p><b>Threads.</b> Any; the error of a call is stored for that call alone, or where the caller says.
 */
final class NamespaceCalls {

    /** What a call that has failed leaves. */
    static final StructLayout ERRORS = Linker.Option.captureStateLayout();

    private static final Linker LINKER = Linker.nativeLinker();
    private static final VarHandle ERRNO = ERRORS.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");

    /** A signal came in between: the JVM has several of its own. */
    private static final int EINTR = 4;

    private static final int READ_ONLY = 0;
    private static final int READ_WRITE = 2;
    /** For no child process; on x86-64 and AArch64 alike. */
    private static final int CLOSE_ON_EXEC = 02000000;

    private static final int NEW_NETWORK = 0x40000000;
    private static final int SET_TIMER_SLACK = 29;

    private static final MethodHandle OPEN = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("open"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
            CAPTURE,
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle IOCTL = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("ioctl"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
            CAPTURE,
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle PRCTL = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("prctl"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG),
            CAPTURE,
            Linker.Option.firstVariadicArg(1));
    private static final MethodHandle SETNS =
            call("setns", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle CLOSE =
            call("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle READ = call(
            "read",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    private static final MethodHandle WRITE = call(
            "write",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

    private NamespaceCalls() {}

    private static MethodHandle call(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, CAPTURE);
    }

    /** A call with a place for its error. */
    private interface Downcall {

        long make(MemorySegment errors) throws Throwable;
    }

    private static long checked(String what, Downcall call) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return checked(what, call, arena.allocate(ERRORS));
        }
    }

    private static long checked(String what, Downcall call, MemorySegment errors) throws IOException {
        try {
            long result = call.make(errors);
            while (result < 0 && errno(errors) == EINTR) {
                result = call.make(errors);
            }
            if (result < 0) {
                throw new IOException(what + " failed: errno=" + errno(errors));
            }
            return result;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=" + what, e);
        }
    }

    private static int errno(MemorySegment errors) {
        return (int) ERRNO.get(errors, 0L);
    }

    /** {@return the descriptor of a file that is there} */
    static int open(String path) throws IOException {
        return open(path, READ_WRITE);
    }

    /** {@return the descriptor of a file that is there, which is only read, or only stands for something} */
    static int openToRead(String path) throws IOException {
        return open(path, READ_ONLY);
    }

    private static int open(String path, int access) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            return (int)
                    checked("open " + path, errors -> (int) OPEN.invokeExact(errors, text, access | CLOSE_ON_EXEC, 0));
        }
    }

    /** Closes a descriptor, once: whatever the system says to that, it is closed, and at a second try its number may be another file's. */
    static void close(int descriptor) {
        try {
            checked("close", errors -> Math.max(0, (int) CLOSE.invokeExact(errors, descriptor)));
        } catch (IOException e) {
            throw new UncheckedIOException("nothing that close says is a failure", e);
        }
    }

    /** Sets up a device. */
    static void control(int descriptor, long request, MemorySegment argument) throws IOException {
        checked("ioctl 0x" + Long.toHexString(request), errors ->
                (int) IOCTL.invokeExact(errors, descriptor, request, argument));
    }

    /** Takes the calling thread, which must not be a virtual one, into a network namespace. */
    static void enterNetwork(String namespace) throws IOException {
        int descriptor = openToRead(namespace);
        try {
            checked("setns " + namespace, errors -> (int) SETNS.invokeExact(errors, descriptor, NEW_NETWORK));
        } finally {
            close(descriptor);
        }
    }

    /** Lets the calling thread wake up as soon as its time has come: by default the kernel may be 50 µs late. */
    static void wakeOnTime() throws IOException {
        checked("prctl(PR_SET_TIMERSLACK)", errors -> (int) PRCTL.invokeExact(errors, SET_TIMER_SLACK, 1L));
    }

    /** {@return how many bytes were read} Blocks; the error of the call is stored in {@code errors}. */
    static int read(int descriptor, MemorySegment into, MemorySegment errors) throws IOException {
        return (int)
                checked("read", place -> (long) READ.invokeExact(place, descriptor, into, into.byteSize()), errors);
    }

    /** Writes all at once, as a packet is; the error of the call is stored in {@code errors}. */
    static void write(int descriptor, MemorySegment from, long length, MemorySegment errors) throws IOException {
        checked("write", place -> (long) WRITE.invokeExact(place, descriptor, from, length), errors);
    }
}
