package io.reactivecomm.nccl;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * A check of what NCCL's functions return: what is wrong becomes an exception with the library's own texts.
 *
 * <p><b>Threads.</b> Any. The last error is one for the whole library, and may be of another thread's call.
 */
final class NcclErrors {

    /** No text of NCCL's is longer: its buffer has 1024 bytes. */
    private static final int TEXT_BYTES = 4096;

    /** A native function with its arguments. */
    interface Downcall {

        int make() throws Throwable;
    }

    private interface TextCall {

        MemorySegment make() throws Throwable;
    }

    private final NcclLibrary library;
    private final MethodHandle errorString;

    NcclErrors(NcclLibrary library) {
        this.library = library;
        errorString = library.function(NcclFunction.GET_ERROR_STRING);
    }

    /**
     * Calls a function.
     *
     * @param comm that it is called for; 0 if none
     * @return success, or that it is in progress
     * @throws NcclException if it failed
     */
    NcclResult checked(NcclFunction function, long comm, Downcall call) {
        return check(function, comm, code(function, call));
    }

    /** {@return the library's number of a function's result} */
    static int code(NcclFunction function, Downcall call) {
        try {
            return call.make();
        } catch (Throwable e) {
            throw threw(function, e);
        }
    }

    /** {@return the exception to throw for what a handle has thrown, which is none that is checked} @throws Error if it is one */
    static RuntimeException threw(NcclFunction function, Throwable cause) {
        return switch (cause) {
            case RuntimeException unchecked -> unchecked;
            case Error error -> throw error;
            default -> new IllegalStateException("a native function threw: function=" + function.stem(), cause);
        };
    }

    /** As {@link #checked}, for a number that is there already. */
    NcclResult check(NcclFunction function, long comm, int number) {
        NcclResult result = library.dialect().result(number);
        if (!result.isSound()) {
            throw new NcclException(library.dialect().name(function), result, number, text(number), lastError(comm));
        }
        return result;
    }

    /** {@return the exception for the state of a communicator, found by {@link NcclSetup#asyncError}} */
    NcclException failure(long comm, int number) {
        String function = library.dialect().name(NcclFunction.COMM_GET_ASYNC_ERROR);
        return new NcclException(function, library.dialect().result(number), number, text(number), lastError(comm));
    }

    String text(int number) {
        return text(NcclFunction.GET_ERROR_STRING, () -> (MemorySegment) errorString.invokeExact(number));
    }

    private String lastError(long comm) {
        if (!library.has(NcclFunction.GET_LAST_ERROR)) {
            return "";
        }
        MethodHandle handle = library.function(NcclFunction.GET_LAST_ERROR);
        return text(NcclFunction.GET_LAST_ERROR, () -> (MemorySegment) handle.invokeExact(comm));
    }

    private static String text(NcclFunction function, TextCall call) {
        try {
            MemorySegment text = call.make();
            return text.address() == 0
                    ? ""
                    : text.reinterpret(TEXT_BYTES)
                            .getString(0, StandardCharsets.UTF_8)
                            .trim();
        } catch (Throwable e) {
            throw threw(function, e);
        }
    }
}
