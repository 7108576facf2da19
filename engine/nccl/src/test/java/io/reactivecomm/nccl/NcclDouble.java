package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.nccl.doubles.NcclDoubleLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One loaded copy of the double of NCCL, and what it has for tests. It stays loaded. */
final class NcclDouble {

    /** In the place of a rank: any. */
    static final int ANY = -1;

    private static final int TEXT_BYTES = 1 << 20;
    private static final Path NONE = Path.of("");

    /** The calls of one communicator in one group, as they were issued. @param communicator its name, the same on all ranks */
    record Launch(long thread, long group, long communicator, int rank, int calls, String text) {}

    private final SymbolLookup symbols;
    private final NcclLibrary library;

    private NcclDouble(SymbolLookup symbols, NcclLibrary library) {
        this.symbols = symbols;
        this.library = library;
    }

    /** {@return a copy of its own, over the host's memory} */
    static NcclDouble load(NcclDoubleDialect dialect) {
        return load(NcclDoubleLibrary.copy(dialect));
    }

    static NcclDouble load(Path path) {
        NcclLibrary library = NcclLibrary.named(path.toString());
        NcclDouble fresh = new NcclDouble(SymbolLookup.libraryLookup(path, Arena.global()), library);
        // Other tests of this JVM may have loaded a CUDA.
        fresh.useCuda(NONE);
        return fresh;
    }

    NcclLibrary library() {
        return library;
    }

    /** Has it run on the streams of the double of CUDA. {@return whether that is one} */
    boolean useCuda(Path path) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) call("use_cuda", JAVA_INT, arena.allocateFrom(path.toString())) != 0;
        }
    }

    List<String> faults() {
        List<String> faults = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(4096);
            for (int i = 0; (int) call("fault_text", JAVA_INT, i, text, 4096) != 0; i++) {
                faults.add(text.getString(0));
            }
        }
        return faults;
    }

    List<Launch> launches() {
        List<Launch> launches = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_LONG, 5);
            MemorySegment text = arena.allocate(TEXT_BYTES);
            for (int i = 0; (int) call("record", JAVA_INT, i, numbers, text, TEXT_BYTES) != 0; i++) {
                long[] all = numbers.toArray(JAVA_LONG);
                launches.add(new Launch(all[0], all[1], all[2], (int) all[3], (int) all[4], text.getString(0)));
            }
        }
        return launches;
    }

    /** {@return the number that launches have for this thread} */
    long thread() {
        return (long) call("thread", JAVA_LONG);
    }

    /** {@return how often a function was called} */
    long calls(String stem) {
        try (Arena arena = Arena.ofConfined()) {
            return (long) call("calls", JAVA_LONG, arena.allocateFrom(stem));
        }
    }

    /** A function, or work on a stream ("launch"), is to fail with NCCL's number of a result, after so many that do not. */
    void plan(String stem, int rank, NcclResult result, int after) {
        try (Arena arena = Arena.ofConfined()) {
            call("plan", null, arena.allocateFrom(stem), rank, result.ordinal(), after);
        }
    }

    /** Calls of that function block until another is named, or "". */
    void holdCall(String stem) {
        try (Arena arena = Arena.ofConfined()) {
            call("hold_call", null, arena.allocateFrom(stem));
        }
    }

    void awaitHeld(int calls) {
        call("await_held", null, calls);
    }

    /** Work of a rank does not begin, or does not leave its stream. */
    void hold(int rank, boolean starts, boolean ends) {
        call("hold", null, rank, starts ? 1 : 0, ends ? 1 : 0);
    }

    /** Work of a rank begins so many microseconds later. */
    void delay(int rank, int micros) {
        call("delay", null, rank, micros);
    }

    /** How often a communicator that does not block says that it is in progress, at least. */
    void polls(int polls) {
        call("set", null, polls, -1, -1, -1);
    }

    void version(int version) {
        call("set", null, -1, version, -1, -1);
    }

    void refuseDuplicates() {
        call("set", null, -1, -1, 1, -1);
    }

    /** A wait for other ranks that is longer is a fault. */
    void patience(int millis) {
        call("set", null, -1, -1, -1, millis);
    }

    /** A communicator fails with that result, on all ranks. {@return whether there is one} */
    boolean fail(long communicator, int rank, NcclResult result) {
        return (int) call("fail", JAVA_INT, communicator, rank, result.ordinal()) != 0;
    }

    /** {@return the name that launches have for a communicator} */
    long name(long comm) {
        return (long) call("name", JAVA_LONG, comm);
    }

    /** {@return how many communicators have not ended} */
    int comms() {
        return (int) call("comms", JAVA_INT);
    }

    /** Without the double of CUDA: waits until a stream is empty. */
    void synchronize(long stream) {
        call("synchronize", null, stream);
    }

    boolean isIdle(long stream) {
        return (int) call("is_idle", JAVA_INT, stream) != 0;
    }

    /** Forgets faults, launches, counts and all that it was told. */
    void clear() {
        call("clear", null);
    }

    private Object call(String name, MemoryLayout result, Object... arguments) {
        MemoryLayout[] layouts =
                Arrays.stream(arguments).map(NcclDouble::layout).toArray(MemoryLayout[]::new);
        FunctionDescriptor type =
                result == null ? FunctionDescriptor.ofVoid(layouts) : FunctionDescriptor.of(result, layouts);
        try {
            return Linker.nativeLinker()
                    .downcallHandle(symbols.findOrThrow("double_nccl_" + name), type)
                    .invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=" + name, e);
        }
    }

    private static MemoryLayout layout(Object argument) {
        return switch (argument) {
            case Integer ignored -> JAVA_INT;
            case Long ignored -> JAVA_LONG;
            default -> ADDRESS;
        };
    }
}
