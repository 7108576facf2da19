package io.reactivecomm.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** One loaded copy of the double of MPI, which stands for a process, and what it has for tests. It stays loaded. */
final class DoubleProcess {

    private static final FunctionDescriptor OF_MEETING = FunctionDescriptor.ofVoid(ADDRESS);

    private final SymbolLookup symbols;
    private final MpiLibrary library;

    private DoubleProcess(SymbolLookup symbols, MpiLibrary library) {
        this.symbols = symbols;
        this.library = library;
    }

    static DoubleProcess load(DoubleDialect dialect) {
        Path copy = DoubleLibrary.copy(dialect);
        try {
            MpiLibrary library = MpiLibrary.open(Map.of(MpiLibrary.VARIABLE, copy.toString()));
            return new DoubleProcess(SymbolLookup.libraryLookup(copy, Arena.global()), library);
        } finally {
            delete(copy);
        }
    }

    static void delete(Path copy) {
        try {
            Files.delete(copy);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete a copy of the double: path=" + copy, e);
        }
    }

    MpiLibrary library() {
        return library;
    }

    private MethodHandle function(String name, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(name), type);
    }

    /** {@return the memory where the ranks of a world meet} */
    MemorySegment open(int size) {
        return (MemorySegment) call("double_open", FunctionDescriptor.of(ADDRESS, JAVA_INT), size);
    }

    /** Makes it the process of a rank. */
    void join(MemorySegment meeting, int rank) {
        call("double_join", FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT), meeting, rank);
    }

    void leave() {
        call("double_leave", FunctionDescriptor.ofVoid());
    }

    void close(MemorySegment meeting) {
        call("double_close", OF_MEETING, meeting);
    }

    void release(MemorySegment meeting) {
        call("double_release", OF_MEETING, meeting);
    }

    void set(MemorySegment meeting, int mostComms, int level) {
        call("double_set", FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, JAVA_INT), meeting, mostComms, level);
    }

    void useCuda(
            MemorySegment meeting, boolean isClaimed, MemorySegment map, MemorySegment knows, MemorySegment context) {
        call(
                "double_use_cuda",
                FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, ADDRESS, ADDRESS, ADDRESS),
                meeting,
                isClaimed ? 1 : 0,
                map,
                knows,
                context);
    }

    void failWaits(MemorySegment meeting, boolean areFailing) {
        call("double_fail_waits", FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT), meeting, areFailing ? 1 : 0);
    }

    void stop(MemorySegment meeting, int rank, boolean isStopped) {
        call("double_stop", FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, JAVA_INT), meeting, rank, isStopped ? 1 : 0);
    }

    int count(MemorySegment meeting, int what) {
        return (int) call("double_count", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), meeting, what);
    }

    /** {@return the text of the n-th fault; empty if there are no more} */
    String fault(MemorySegment meeting, int n) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(1024);
            int isThere = (int)
                    call("double_fault", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS), meeting, n, text);
            return isThere == 0 ? "" : text.getString(0);
        }
    }

    private Object call(String name, FunctionDescriptor type, Object... arguments) {
        try {
            return function(name, type).invokeWithArguments(arguments);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=" + name, e);
        }
    }
}
