package io.reactivecomm.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * MPI's functions that are no calls: its beginning and end, communicators, requests and errors.
 *
 * <p><b>Errors.</b> {@link MpiException}.
 *
 * <p><b>Threads.</b> Any, as MPI_THREAD_MULTIPLE has it; those that say that they block hold their thread until other ranks have come.
 */
final class MpiSetup {

    /** At least MPI_MAX_ERROR_STRING and MPI_MAX_LIBRARY_VERSION_STRING of all. */
    private static final int TEXT_BYTES = 8192;

    private static final int SUCCESS = 0;

    /** An extension of Open MPI's and MPICH's: 1 or 0, and no error. */
    static final String QUERY_CUDA = "MPIX_Query_cuda_support";

    private final MpiLibrary library;
    private final MethodHandle initialized;
    private final MethodHandle finalized;
    private final MethodHandle initThread;
    private final MethodHandle queryThread;
    private final MethodHandle finish;
    private final MethodHandle commRank;
    private final MethodHandle commSize;
    private final MethodHandle commGroup;
    private final MethodHandle groupIncl;
    private final MethodHandle groupFree;
    private final MethodHandle commCreateGroup;
    private final MethodHandle commDup;
    private final MethodHandle commFree;
    private final MethodHandle commSetErrhandler;
    private final MethodHandle test;
    private final MethodHandle await;
    private final MethodHandle errorString;
    private final MethodHandle libraryVersion;

    MpiSetup(MpiLibrary library) {
        this.library = library;
        initialized = library.function("MPI_Initialized", JAVA_LONG);
        finalized = library.function("MPI_Finalized", JAVA_LONG);
        initThread = library.function("MPI_Init_thread", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
        queryThread = library.function("MPI_Query_thread", JAVA_LONG);
        finish = library.function("MPI_Finalize");
        commRank = library.function("MPI_Comm_rank", JAVA_LONG, JAVA_LONG);
        commSize = library.function("MPI_Comm_size", JAVA_LONG, JAVA_LONG);
        commGroup = library.function("MPI_Comm_group", JAVA_LONG, JAVA_LONG);
        groupIncl = library.function("MPI_Group_incl", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
        groupFree = library.function("MPI_Group_free", JAVA_LONG);
        commCreateGroup = library.function("MPI_Comm_create_group", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
        commDup = library.function("MPI_Comm_dup", JAVA_LONG, JAVA_LONG);
        commFree = library.function("MPI_Comm_free", JAVA_LONG);
        commSetErrhandler = library.function("MPI_Comm_set_errhandler", JAVA_LONG, JAVA_LONG);
        test = library.function("MPI_Test", JAVA_LONG, JAVA_LONG, JAVA_LONG);
        await = library.function("MPI_Wait", JAVA_LONG, JAVA_LONG);
        errorString = library.function("MPI_Error_string", JAVA_INT, JAVA_LONG, JAVA_LONG);
        libraryVersion = library.function("MPI_Get_library_version", JAVA_LONG, JAVA_LONG);
    }

    /** A native function with the address of a place for its result. */
    private interface Downcall {

        int make(long result) throws Throwable;
    }

    private int code(String function, Downcall call, MemorySegment result) {
        try {
            return call.make(result.address());
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=" + function, e);
        }
    }

    /** @throws MpiException unless the code is MPI_SUCCESS */
    void check(String function, int code) {
        if (code != SUCCESS) {
            throw new MpiException(function, code, text(code));
        }
    }

    /** {@return the number that a function writes} */
    private long number(String function, Downcall call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment place = arena.allocate(JAVA_LONG);
            check(function, code(function, call, place));
            return place.get(JAVA_LONG, 0);
        }
    }

    private String text(int code) {
        return text(place -> (int) errorString.invokeExact(code, place, place + TEXT_BYTES));
    }

    /** {@return what the library calls itself, on one line} */
    String version() {
        return text(place -> (int) libraryVersion.invokeExact(place, place + TEXT_BYTES))
                .lines()
                .findFirst()
                .orElse("");
    }

    private String text(Downcall call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment place = arena.allocate(TEXT_BYTES + JAVA_INT.byteSize(), JAVA_INT.byteAlignment());
            return code("MPI_Error_string", call, place) == SUCCESS
                    ? place.getString(0, StandardCharsets.UTF_8).trim()
                    : "unknown";
        }
    }

    boolean isInitialized() {
        return number("MPI_Initialized", place -> (int) initialized.invokeExact(place)) != 0;
    }

    boolean isFinalized() {
        return number("MPI_Finalized", place -> (int) finalized.invokeExact(place)) != 0;
    }

    /** Begins MPI, or finds that somebody has. Blocks. {@return whether threads may call it at the same time} */
    boolean begin() {
        int wanted = library.dialect().threadMultiple();
        long provided = isInitialized()
                ? number("MPI_Query_thread", place -> (int) queryThread.invokeExact(place))
                : number("MPI_Init_thread", place -> (int) initThread.invokeExact(0L, 0L, wanted, place));
        returnErrors(world());
        // Errors of functions without a communicator are its, from MPI 4 on.
        returnErrors(library.constant(Constant.COMM_SELF));
        return provided == wanted;
    }

    /** {@return whether the library says that it takes addresses of CUDA's devices; false if it does not say} MPI has begun. */
    boolean claimsCuda() {
        return library.extension(QUERY_CUDA)
                .map(query -> code(QUERY_CUDA, ignored -> (int) query.invokeExact(), MemorySegment.NULL) == 1)
                .orElse(false);
    }

    /** Ends MPI. Blocks until all ranks do so. */
    void end() {
        check("MPI_Finalize", code("MPI_Finalize", unused -> (int) finish.invokeExact(), MemorySegment.NULL));
    }

    /** {@return the communicator of all processes} */
    long world() {
        return library.constant(Constant.COMM_WORLD);
    }

    int rank(long comm) {
        return (int) number("MPI_Comm_rank", place -> (int) commRank.invokeExact(comm, place));
    }

    int size(long comm) {
        return (int) number("MPI_Comm_size", place -> (int) commSize.invokeExact(comm, place));
    }

    /**
     * {@return a new communicator of some processes of the world's, in that order} Blocks until all of them do so.
     *
     * @param tag tells apart what is made at the same time
     */
    long create(List<Integer> ranks, int tag) {
        long all = number("MPI_Comm_group", place -> (int) commGroup.invokeExact(world(), place));
        long some = included(all, ranks);
        try {
            long comm = number(
                    "MPI_Comm_create_group", place -> (int) commCreateGroup.invokeExact(world(), some, tag, place));
            returnErrors(comm);
            return comm;
        } finally {
            free("MPI_Group_free", groupFree, some);
            free("MPI_Group_free", groupFree, all);
        }
    }

    private long included(long group, List<Integer> ranks) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocateFrom(
                    JAVA_INT, ranks.stream().mapToInt(Integer::intValue).toArray());
            int size = ranks.size();
            return number("MPI_Group_incl", place -> (int) groupIncl.invokeExact(group, size, list.address(), place));
        }
    }

    /** {@return another communicator of the same processes} Blocks until all of them do so. */
    long duplicate(long comm) {
        long copy = number("MPI_Comm_dup", place -> (int) commDup.invokeExact(comm, place));
        returnErrors(copy);
        return copy;
    }

    /** Frees a communicator. Blocks until all its processes do so, where the library wants that. */
    void free(long comm) {
        free("MPI_Comm_free", commFree, comm);
    }

    private void free(String function, MethodHandle handle, long what) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment place = arena.allocateFrom(JAVA_LONG, what);
            check(function, code(function, address -> (int) handle.invokeExact(address), place));
        }
    }

    /** Errors are codes from here on, and end no process. */
    private void returnErrors(long comm) {
        long handler = library.constant(Constant.ERRORS_RETURN);
        check(
                "MPI_Comm_set_errhandler",
                code(
                        "MPI_Comm_set_errhandler",
                        unused -> (int) commSetErrhandler.invokeExact(comm, handler),
                        MemorySegment.NULL));
    }

    /** {@return whether a request has ended} Then it is freed. @param flag the address of an int that nobody else uses meanwhile */
    boolean isDone(long request, MemorySegment flag) {
        long ignored = library.dialect().statusIgnore();
        check("MPI_Test", code("MPI_Test", place -> (int) test.invokeExact(request, place, ignored), flag));
        return flag.get(JAVA_INT, 0) != 0;
    }

    /** Waits until a request has ended. Blocks. */
    void await(long request) {
        long ignored = library.dialect().statusIgnore();
        check("MPI_Wait", code("MPI_Wait", unused -> (int) await.invokeExact(request, ignored), MemorySegment.NULL));
    }
}
