package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivecomm.UnsupportedCollectiveException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * NCCL's functions that are no calls: versions, communicators, their state and end, and memory.
 *
 * <p>A communicator is the number that NCCL has for it. Those that do not block answer that they are in progress; then the one function that may be
 * called of them, but for an abort, is {@link #asyncError}, until it says otherwise.
 *
 * <p><b>Errors.</b> {@link NcclException}; {@link UnsupportedCollectiveException} where {@link NcclLibrary#has} says that a function is not there.
 *
 * <p><b>Threads.</b> Any that has the device's context; what blocks, and what makes or ends communicators, belongs off the loop.
 */
final class NcclSetup {

    /** For {@link #split}: this rank becomes a member of nothing. */
    static final int NO_COLOR = -1;

    /** For {@link #shrink}: what of the parent is in progress is given up. */
    static final int SHRINK_ABORTING = 1;

    /** For {@link #grow}: this rank is a member already, and keeps its rank. */
    static final int SAME_RANK = -1;

    private final NcclLibrary library;
    private final NcclErrors errors;

    NcclSetup(NcclLibrary library) {
        this.library = library;
        errors = new NcclErrors(library);
    }

    NcclLibrary library() {
        return library;
    }

    NcclErrors errors() {
        return errors;
    }

    /** {@return the version by the library's own number, such as 22803 for NCCL 2.28.3} */
    int version() {
        MethodHandle handle = library.function(NcclFunction.GET_VERSION);
        return number(NcclFunction.GET_VERSION, 0, place -> (int) handle.invokeExact(place));
    }

    /** {@return a new unique id, for all ranks of one communicator} */
    byte[] uniqueId() {
        MethodHandle handle = library.function(NcclFunction.GET_UNIQUE_ID);
        return id(NcclFunction.GET_UNIQUE_ID, 0, place -> (int) handle.invokeExact(place));
    }

    /** {@return an id for one {@link #grow} of a communicator} */
    byte[] growthId(long comm) {
        MethodHandle handle = library.function(NcclFunction.COMM_GET_UNIQUE_ID);
        return id(NcclFunction.COMM_GET_UNIQUE_ID, comm, place -> (int) handle.invokeExact(comm, place));
    }

    /** A native function with the address of a place for what it writes. */
    private interface Writing {

        int make(long place) throws Throwable;
    }

    private int number(NcclFunction function, long comm, Writing call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment place = arena.allocate(JAVA_INT);
            errors.checked(function, comm, () -> call.make(place.address()));
            return place.get(JAVA_INT, 0);
        }
    }

    private int numberOf(NcclFunction function, long comm) {
        MethodHandle handle = library.function(function);
        return number(function, comm, place -> (int) handle.invokeExact(comm, place));
    }

    private byte[] id(NcclFunction function, long comm, Writing call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment id = arena.allocate(library.dialect().idBytes(), JAVA_LONG.byteAlignment());
            errors.checked(function, comm, () -> call.make(id.address()));
            return id.toArray(JAVA_BYTE);
        }
    }

    private MemorySegment idSegment(byte[] id, Arena arena) {
        if (id.length != library.dialect().idBytes()) {
            throw new IllegalArgumentException("a unique id of another library: bytes=" + id.length + ", expected="
                    + library.dialect().idBytes());
        }
        MemorySegment segment = arena.allocate(id.length, JAVA_LONG.byteAlignment());
        MemorySegment.copy(id, 0, segment, JAVA_BYTE, 0, id.length);
        return segment;
    }

    /** The device of communicators that this thread makes, where the dialect wants that; else it is that of the thread's context. */
    void setDevice(int device) {
        if (library.has(NcclFunction.SET_DEVICE)) {
            MethodHandle handle = library.function(NcclFunction.SET_DEVICE);
            errors.checked(NcclFunction.SET_DEVICE, 0, () -> (int) handle.invokeExact(device));
        }
    }

    /** {@return a communicator} Blocks until all ranks have come. */
    NewComm initRank(int size, byte[] id, int rank) {
        MethodHandle handle = library.function(NcclFunction.COMM_INIT_RANK);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = idSegment(id, arena);
            return new NewComm(place -> errors.checked(
                    NcclFunction.COMM_INIT_RANK, 0, () -> (int) handle.invokeExact(place, size, segment, rank)));
        }
    }

    /** {@return a communicator, made as the configuration says} */
    NewComm initRank(int size, byte[] id, int rank, NcclConfig config) {
        MethodHandle handle = library.function(NcclFunction.COMM_INIT_RANK_CONFIG);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = idSegment(id, arena);
            long options = config.write(library.dialect(), arena).address();
            return new NewComm(place -> errors.checked(NcclFunction.COMM_INIT_RANK_CONFIG, 0, () ->
                    (int) handle.invokeExact(place, size, segment, rank, options)));
        }
    }

    /** {@return a communicator of those with the same color, by key and then by rank} All members call it. It blocks as its parent does. */
    NewComm split(long comm, int color, int key) {
        MethodHandle handle = library.function(NcclFunction.COMM_SPLIT);
        return new NewComm(place -> errors.checked(
                NcclFunction.COMM_SPLIT, comm, () -> (int) handle.invokeExact(comm, color, key, place, 0L)));
    }

    /** {@return a communicator without some ranks, which do not call it} @param flags 0, or {@link #SHRINK_ABORTING} */
    NewComm shrink(long comm, List<Integer> excluded, int flags) {
        MethodHandle handle = library.function(NcclFunction.COMM_SHRINK);
        // As lasting as the place of the communicator: one that does not block may read the list later.
        MemorySegment ranks = Arena.global()
                .allocateFrom(
                        JAVA_INT, excluded.stream().mapToInt(Integer::intValue).toArray());
        int count = excluded.size();
        return new NewComm(place -> errors.checked(NcclFunction.COMM_SHRINK, comm, () ->
                (int) handle.invokeExact(comm, ranks.address(), count, place, 0L, flags)));
    }

    /**
     * {@return a communicator with further ranks}
     *
     * @param comm 0 at a rank that is new
     * @param rank of one that is new, else {@link #SAME_RANK}
     */
    NewComm grow(long comm, int size, byte[] id, int rank, NcclConfig config) {
        MethodHandle handle = library.function(NcclFunction.COMM_GROW);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = idSegment(id, Arena.global());
            long options = config.write(library.dialect(), arena).address();
            return new NewComm(place -> errors.checked(NcclFunction.COMM_GROW, comm, () ->
                    (int) handle.invokeExact(comm, size, segment.address(), rank, place, options)));
        }
    }

    int size(long comm) {
        return numberOf(NcclFunction.COMM_COUNT, comm);
    }

    int rank(long comm) {
        return numberOf(NcclFunction.COMM_USER_RANK, comm);
    }

    /** Begins the end of a communicator: what is under way goes on to its end. */
    NcclResult finalizeComm(long comm) {
        return ofComm(NcclFunction.COMM_FINALIZE, comm);
    }

    /** Frees a communicator. Blocks until what is under way has ended. */
    NcclResult destroy(long comm) {
        return ofComm(NcclFunction.COMM_DESTROY, comm);
    }

    /** Frees a communicator and gives up what is under way: the device lets go of it some time later. For another thread than the loop. */
    NcclResult abort(long comm) {
        return ofComm(NcclFunction.COMM_ABORT, comm);
    }

    private NcclResult ofComm(NcclFunction function, long comm) {
        MethodHandle handle = library.function(function);
        return errors.checked(function, comm, () -> (int) handle.invokeExact(comm));
    }

    /** Gives up what is under way; the communicator remains, to be shrunk, split or freed. */
    NcclResult revoke(long comm) {
        MethodHandle handle = library.function(NcclFunction.COMM_REVOKE);
        return errors.checked(NcclFunction.COMM_REVOKE, comm, () -> (int) handle.invokeExact(comm, 0));
    }

    /**
     * {@return the state of a communicator: success, or that it is in progress} Where the dialect has no such function, nothing ever comes later.
     *
     * @throws NcclException if it has failed: it can only be aborted
     */
    NcclResult asyncError(long comm) {
        if (!library.has(NcclFunction.COMM_GET_ASYNC_ERROR)) {
            return NcclResult.SUCCESS;
        }
        int state = numberOf(NcclFunction.COMM_GET_ASYNC_ERROR, comm);
        NcclResult result = library.dialect().result(state);
        if (!result.isSound()) {
            throw errors.failure(comm, state);
        }
        return result;
    }

    /** Registers device memory with a communicator. {@return the handle, for {@link #deregister}} */
    long register(long comm, long address, long bytes) {
        MethodHandle handle = library.function(NcclFunction.COMM_REGISTER);
        return written(
                NcclFunction.COMM_REGISTER, comm, place -> (int) handle.invokeExact(comm, address, bytes, place));
    }

    void deregister(long comm, long registration) {
        MethodHandle handle = library.function(NcclFunction.COMM_DEREGISTER);
        errors.checked(NcclFunction.COMM_DEREGISTER, comm, () -> (int) handle.invokeExact(comm, registration));
    }

    /** {@return the address of new device memory that is fit for registration} */
    long allocate(long bytes) {
        MethodHandle handle = library.function(NcclFunction.MEM_ALLOC);
        return written(NcclFunction.MEM_ALLOC, 0, place -> (int) handle.invokeExact(place, bytes));
    }

    void free(long address) {
        MethodHandle handle = library.function(NcclFunction.MEM_FREE);
        errors.checked(NcclFunction.MEM_FREE, 0, () -> (int) handle.invokeExact(address));
    }

    private long written(NcclFunction function, long comm, Writing call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment place = arena.allocate(JAVA_LONG);
            errors.checked(function, comm, () -> call.make(place.address()));
            return place.get(JAVA_LONG, 0);
        }
    }
}
