package io.reactivecomm.nccl.doubles;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The double of the CUDA driver in this process, and what it has for tests. It is loaded before JCuda is touched, and stays. */
public final class CudaDouble {

    public static final CudaDouble JVM = load();

    /** So many devices there can be. */
    public static final int MOST_DEVICES = 8;

    /** The things that nobody has freed, as {@code double_cuda_held} has it. */
    public enum Held {
        ALLOCATIONS,
        PINNED,
        STREAMS,
        EVENTS,
        CONTEXTS,
        BYTES
    }

    private static final FunctionDescriptor OF_TWO = FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT);

    private final SymbolLookup symbols;

    private CudaDouble(SymbolLookup symbols) {
        this.symbols = symbols;
    }

    private static CudaDouble load() {
        Path library = CudaDoubleLibrary.built();
        System.load(library.toString());
        return new CudaDouble(SymbolLookup.libraryLookup(library, Arena.global()));
    }

    private Object call(String name, FunctionDescriptor type, Object... arguments) {
        try {
            return Linker.nativeLinker()
                    .downcallHandle(symbols.findOrThrow(name), type)
                    .invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=" + name, e);
        }
    }

    /** {@return the faults in the use of CUDA and NCCL so far} */
    public List<String> faults() {
        List<String> faults = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(512);
            FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
            while ((int) call("double_cuda_fault_text", type, faults.size(), text, 512) != 0) {
                faults.add(text.getString(0));
            }
        }
        return faults;
    }

    public void forgetFaults() {
        call("double_cuda_forget_faults", FunctionDescriptor.ofVoid());
    }

    /** {@return how much of something is held} */
    public long held(Held what) {
        return (long) call("double_cuda_held", FunctionDescriptor.of(JAVA_LONG, JAVA_INT), what.ordinal());
    }

    /** {@return how often a function of the driver has been called} */
    public long calls(String function) {
        try (Arena arena = Arena.ofConfined()) {
            return (long)
                    call("double_cuda_calls", FunctionDescriptor.of(JAVA_LONG, ADDRESS), arena.allocateFrom(function));
        }
    }

    public void devices(int count) {
        call("double_cuda_devices", FunctionDescriptor.ofVoid(JAVA_INT), count);
    }

    /** Gives each device so many bytes; 0 for many. */
    public void memory(long bytes) {
        call("double_cuda_memory", FunctionDescriptor.ofVoid(JAVA_LONG), bytes);
    }

    public void attribute(int attribute, int value) {
        call("double_cuda_attribute", OF_TWO, attribute, value);
    }

    /** Lets a function return a result, so many times after so many calls that do well. */
    public void fail(String function, int result, int skip, int times) {
        try (Arena arena = Arena.ofConfined()) {
            FunctionDescriptor type = FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT);
            call("double_cuda_fail", type, arena.allocateFrom(function), result, skip, times);
        }
    }

    /** Breaks a device by a sticky error, or mends it by 0. */
    public void breakDevice(int device, int result) {
        call("double_cuda_break", OF_TWO, device, result);
    }

    /** Lets a device do nothing, until it is let go on. */
    public void hold(int device, boolean isHeld) {
        call("double_cuda_hold", OF_TWO, device, isHeld ? 1 : 0);
    }

    public void delay(int microseconds) {
        call("double_cuda_delay", FunctionDescriptor.ofVoid(JAVA_INT), microseconds);
    }

    /** {@return the bytes of device memory, which only the double reaches; empty if they are none's} */
    public MemorySegment map(long address, long byteSize) {
        MemorySegment there = (MemorySegment)
                call("double_cuda_map", FunctionDescriptor.of(ADDRESS, JAVA_LONG, JAVA_LONG), address, byteSize);
        return there.address() == 0 ? MemorySegment.NULL : there.reinterpret(byteSize);
    }

    /** {@return the ordinal of the device that is current on this thread; -1 if none} */
    public int contextDevice() {
        return (int) call("double_cuda_context_device", FunctionDescriptor.of(JAVA_INT));
    }
}
