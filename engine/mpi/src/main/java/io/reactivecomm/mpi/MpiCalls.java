package io.reactivecomm.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Locale;

/**
 * MPI's collectives and messages. Collectives have two forms: blocking, and with a request, to be looked at by {@link MpiSetup#isDone}; messages have the
 * latter alone.
 *
 * <p>Buffers, arrays and handles are addresses and numbers as MPI has them. Nothing is checked here but what MPI returns. A {@code request} is the address where
 * the request is to be, or {@link #BLOCKING}.
 *
 * <p><b>Errors.</b> {@link MpiException}.
 *
 * <p><b>Threads.</b> Any.
 */
final class MpiCalls {

    /** In the place of a request's address: the call blocks until it has ended. */
    static final long BLOCKING = 0;

    /** A function in both forms. @param name that of the blocking one */
    private record Forms(String name, MethodHandle blocking, MethodHandle polled) {

        /** @param parameters a letter for each but the request: {@code i} for an int, {@code l} for an address or a handle */
        static Forms of(MpiLibrary library, String name, String parameters) {
            MemoryLayout[] layouts = layouts(parameters);
            MemoryLayout[] more = Arrays.copyOf(layouts, layouts.length + 1);
            more[layouts.length] = JAVA_LONG;
            return new Forms(
                    "MPI_" + name,
                    library.function("MPI_" + name, layouts),
                    library.function("MPI_I" + name.toLowerCase(Locale.ROOT), more));
        }
    }

    /** A downcall of that signature. */
    private interface Downcall {

        int make() throws Throwable;
    }

    private final MpiSetup setup;
    private final Forms allReduce;
    private final Forms reduce;
    private final Forms broadcast;
    private final Forms allGather;
    private final Forms allGatherV;
    private final Forms reduceScatter;
    private final Forms reduceScatterV;
    private final Forms allToAll;
    private final Forms barrier;
    private final MethodHandle send;
    private final MethodHandle receive;

    MpiCalls(MpiLibrary library, MpiSetup setup) {
        this.setup = setup;
        allReduce = Forms.of(library, "Allreduce", "llilll");
        reduce = Forms.of(library, "Reduce", "llillil");
        broadcast = Forms.of(library, "Bcast", "lilil");
        allGather = Forms.of(library, "Allgather", "lillill");
        allGatherV = Forms.of(library, "Allgatherv", "lillllll");
        reduceScatter = Forms.of(library, "Reduce_scatter_block", "llilll");
        reduceScatterV = Forms.of(library, "Reduce_scatter", "llllll");
        allToAll = Forms.of(library, "Alltoall", "lillill");
        barrier = Forms.of(library, "Barrier", "l");
        send = library.function("MPI_Isend", layouts("liliill"));
        receive = library.function("MPI_Irecv", layouts("liliill"));
    }

    private static MemoryLayout[] layouts(String parameters) {
        return parameters
                .chars()
                .mapToObj(each -> each == 'i' ? JAVA_INT : JAVA_LONG)
                .toArray(MemoryLayout[]::new);
    }

    private void checked(String function, Downcall call) {
        int code;
        try {
            code = call.make();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=" + function, e);
        }
        setup.check(function, code);
    }

    void allReduce(long from, long to, int count, long type, long op, long comm, long request) {
        checked(
                allReduce.name,
                () -> request == BLOCKING
                        ? (int) allReduce.blocking.invokeExact(from, to, count, type, op, comm)
                        : (int) allReduce.polled.invokeExact(from, to, count, type, op, comm, request));
    }

    void reduce(long from, long to, int count, long type, long op, int root, long comm, long request) {
        checked(
                reduce.name,
                () -> request == BLOCKING
                        ? (int) reduce.blocking.invokeExact(from, to, count, type, op, root, comm)
                        : (int) reduce.polled.invokeExact(from, to, count, type, op, root, comm, request));
    }

    void broadcast(long buffer, int count, long type, int root, long comm, long request) {
        checked(
                broadcast.name,
                () -> request == BLOCKING
                        ? (int) broadcast.blocking.invokeExact(buffer, count, type, root, comm)
                        : (int) broadcast.polled.invokeExact(buffer, count, type, root, comm, request));
    }

    void allGather(long from, int count, long type, long to, int each, long sameType, long comm, long request) {
        checked(
                allGather.name,
                () -> request == BLOCKING
                        ? (int) allGather.blocking.invokeExact(from, count, type, to, each, sameType, comm)
                        : (int) allGather.polled.invokeExact(from, count, type, to, each, sameType, comm, request));
    }

    void allGatherV(
            long from,
            int count,
            long type,
            long to,
            long counts,
            long starts,
            long sameType,
            long comm,
            long request) {
        checked(
                allGatherV.name,
                () -> request == BLOCKING
                        ? (int) allGatherV.blocking.invokeExact(from, count, type, to, counts, starts, sameType, comm)
                        : (int) allGatherV.polled.invokeExact(
                                from, count, type, to, counts, starts, sameType, comm, request));
    }

    void reduceScatter(long from, long to, int count, long type, long op, long comm, long request) {
        checked(
                reduceScatter.name,
                () -> request == BLOCKING
                        ? (int) reduceScatter.blocking.invokeExact(from, to, count, type, op, comm)
                        : (int) reduceScatter.polled.invokeExact(from, to, count, type, op, comm, request));
    }

    void reduceScatterV(long from, long to, long counts, long type, long op, long comm, long request) {
        checked(
                reduceScatterV.name,
                () -> request == BLOCKING
                        ? (int) reduceScatterV.blocking.invokeExact(from, to, counts, type, op, comm)
                        : (int) reduceScatterV.polled.invokeExact(from, to, counts, type, op, comm, request));
    }

    void allToAll(long from, int count, long type, long to, int each, long sameType, long comm, long request) {
        checked(
                allToAll.name,
                () -> request == BLOCKING
                        ? (int) allToAll.blocking.invokeExact(from, count, type, to, each, sameType, comm)
                        : (int) allToAll.polled.invokeExact(from, count, type, to, each, sameType, comm, request));
    }

    void barrier(long comm, long request) {
        checked(
                barrier.name,
                () -> request == BLOCKING
                        ? (int) barrier.blocking.invokeExact(comm)
                        : (int) barrier.polled.invokeExact(comm, request));
    }

    void send(long from, int count, long type, int peer, int tag, long comm, long request) {
        checked("MPI_Isend", () -> (int) send.invokeExact(from, count, type, peer, tag, comm, request));
    }

    void receive(long to, int count, long type, int peer, int tag, long comm, long request) {
        checked("MPI_Irecv", () -> (int) receive.invokeExact(to, count, type, peer, tag, comm, request));
    }
}
