package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivecomm.UnsupportedCollectiveException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.HexFormat;
import java.util.List;

/**
 * A call of a function that takes a unique id of 4096 bytes by value, as oneCCL's
 * {@code onecclCommInitRank(comm*, size_t size, id, int rank, config*)} does.
 *
 * <p>{@code java.lang.foreign} passes a struct as its 64-bit words, and a method handle takes no more than 255 slots of arguments: less than a
 * thousand bytes. So on x86-64 a few instructions of our own put the id where the callee expects it, on the stack; on AArch64 the callee is given an
 * address anyhow.
 *
 * <pre>
 *   called with   rdi comm*   rsi size   rdx address of the id   ecx rank   r8 config*   r9 function
 *   calls r9 with rdi comm*   rsi size   edx rank   rcx config*   and the id at the top of the stack
 * </pre>
 *
 * <p><b>Source.</b> System V ABI for AMD64, 3.2.3: arguments of class MEMORY are copied to the stack, aligned to 16 bytes before the call. Procedure
 * call standard for AArch64, 6.8.2, B.4: composite types of more than 16 bytes are passed by address.
 */
final class LargeIdCall {

    /** The widest struct that is passed by {@code java.lang.foreign}, with some room for other arguments. */
    static final int MOST_BYTES_BY_VALUE = 512;

    private static final int WIDTH = 4096;
    private static final int PAGE = 4096;
    private static final int READ_WRITE = 3;
    private static final int READ_EXECUTE = 5;
    private static final int PRIVATE_ANONYMOUS = 0x22;

    private static final Linker LINKER = Linker.nativeLinker();

    private static final List<String> INSTRUCTIONS = List.of(
            "f30f1efa", // endbr64
            "55", // push rbp
            "4889e5", // mov rbp, rsp
            "4881ec00100000", // sub rsp, 4096
            "4889f8", // mov rax, rdi
            "4989f2", // mov r10, rsi
            "4989cb", // mov r11, rcx
            "4889d6", // mov rsi, rdx
            "4889e7", // mov rdi, rsp
            "b900020000", // mov ecx, 512
            "f348a5", // rep movsq
            "4889c7", // mov rdi, rax
            "4c89d6", // mov rsi, r10
            "4c89da", // mov rdx, r11
            "4c89c1", // mov rcx, r8
            "41ffd1", // call r9
            "c9", // leave
            "c3"); // ret

    private LargeIdCall() {}

    /**
     * {@return a handle as of the struct by value: comm*, size, the id, rank, and the config* if it has one}
     *
     * @param architecture by the JVM's name
     * @throws UnsupportedCollectiveException if it is another one, or the system allows no instructions of our own
     */
    static MethodHandle of(MemorySegment function, boolean hasConfig, int width, String architecture) {
        if (width != WIDTH) {
            throw new IllegalArgumentException("a unique id of another width: bytes=" + width + ", known=" + WIDTH);
        }
        return switch (architecture) {
            case "amd64", "x86_64" -> onStack(function, hasConfig);
            case "aarch64" -> LINKER.downcallHandle(function, descriptor(hasConfig));
            default ->
                throw new UnsupportedCollectiveException(
                        "a unique id of " + width + " bytes cannot be passed by value: architecture="
                                + architecture
                                + ", known=[amd64, aarch64]; use NCCL or RCCL there");
        };
    }

    private static FunctionDescriptor descriptor(boolean hasConfig) {
        return hasConfig
                ? FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_LONG)
                : FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT);
    }

    private static MethodHandle onStack(MemorySegment function, boolean hasConfig) {
        FunctionDescriptor all =
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_LONG, ADDRESS);
        MethodHandle bound = MethodHandles.insertArguments(LINKER.downcallHandle(code(), all), 5, function);
        return hasConfig ? bound : MethodHandles.insertArguments(bound, 4, 0L);
    }

    /** {@return the instructions, in memory that can be executed and no longer be written; it is never freed} */
    private static MemorySegment code() {
        byte[] code = HexFormat.of().parseHex(String.join("", INSTRUCTIONS));
        MethodHandle map = LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow("mmap"),
                FunctionDescriptor.of(ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
        MethodHandle protect = LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow("mprotect"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
        try {
            MemorySegment place =
                    (MemorySegment) map.invokeExact(0L, (long) PAGE, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
            if (place.address() == -1) {
                throw refused("mmap");
            }
            MemorySegment page = place.reinterpret(PAGE);
            MemorySegment.copy(code, 0, page, JAVA_BYTE, 0, code.length);
            if ((int) protect.invokeExact(page, (long) PAGE, READ_EXECUTE) != 0) {
                throw refused("mprotect");
            }
            return page;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=mmap", e);
        }
    }

    private static UnsupportedCollectiveException refused(String function) {
        return new UnsupportedCollectiveException(
                "a unique id cannot be passed by value, as the system refuses memory for it that can be executed:"
                        + " function=" + function
                        + "; allow it, or use NCCL or RCCL");
    }
}
