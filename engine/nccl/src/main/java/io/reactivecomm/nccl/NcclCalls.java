package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * NCCL's collectives, messages and groups.
 *
 * <p>Buffers, communicators and streams are addresses as NCCL has them; counts are elements. Nothing is checked here but what NCCL returns. Each call
 * returns success, or that a communicator that does not block is in progress: between {@link #groupStart} and {@link #groupEnd} it has only been
 * noted.
 *
 * <p>Functions are never marked critical: any of them may block, and the JVM could not collect garbage meanwhile.
 *
 * <p><b>Errors.</b> {@link NcclException}; where {@link NcclLibrary#has} says that all-to-all, gather or scatter is not there, messages in a group do
 * it.
 *
 * <p><b>Threads.</b> One issues a whole group, and has the device's context: NCCL keeps a group's calls by thread.
 */
final class NcclCalls {

    private final NcclLibrary library;
    private final NcclErrors errors;
    private final MemorySegment allReduce;
    private final MemorySegment reduce;
    private final MemorySegment broadcast;
    private final MemorySegment reduceScatter;
    private final MemorySegment allGather;
    private final MemorySegment send;
    private final MemorySegment receive;
    private final MemorySegment groupStart;
    private final MemorySegment groupEnd;

    NcclCalls(NcclSetup setup) {
        library = setup.library();
        errors = setup.errors();
        allReduce = library.requiredAddress(NcclFunction.ALL_REDUCE);
        reduce = library.requiredAddress(NcclFunction.REDUCE);
        broadcast = library.requiredAddress(NcclFunction.BROADCAST);
        reduceScatter = library.requiredAddress(NcclFunction.REDUCE_SCATTER);
        allGather = library.requiredAddress(NcclFunction.ALL_GATHER);
        send = library.requiredAddress(NcclFunction.SEND);
        receive = library.requiredAddress(NcclFunction.RECV);
        groupStart = library.requiredAddress(NcclFunction.GROUP_START);
        groupEnd = library.requiredAddress(NcclFunction.GROUP_END);
    }

    void groupStart() {
        errors.checked(NcclFunction.GROUP_START, 0, () -> (int) PlainCalls.GROUP_START.invokeExact(groupStart));
    }

    /**
     * Launches all calls since the start.
     * {@return that they are on their streams, or in progress: then they will be, once their communicators are not}
     */
    NcclResult groupEnd() {
        return errors.checked(NcclFunction.GROUP_END, 0, () -> (int) PlainCalls.GROUP_END.invokeExact(groupEnd));
    }

    /* Calls that groups have by the thousand are made in place, without a lambda: whether the JVM makes away with that is a matter of luck, and of 100 ns a call. */

    /** @param op {@link NcclOperation#code}, or one of {@link #createPreMulSum} */
    NcclResult allReduce(long from, long to, long count, NcclType type, int op, long comm, long stream) {
        int code = type.code();
        int result;
        try {
            result = (int) PlainCalls.ALL_REDUCE.invokeExact(allReduce, from, to, count, code, op, comm, stream);
        } catch (Throwable e) {
            throw NcclErrors.threw(NcclFunction.ALL_REDUCE, e);
        }
        return errors.check(NcclFunction.ALL_REDUCE, comm, result);
    }

    NcclResult reduce(long from, long to, long count, NcclType type, int op, int root, long comm, long stream) {
        int code = type.code();
        int result;
        try {
            result = (int) PlainCalls.REDUCE.invokeExact(reduce, from, to, count, code, op, root, comm, stream);
        } catch (Throwable e) {
            throw NcclErrors.threw(NcclFunction.REDUCE, e);
        }
        return errors.check(NcclFunction.REDUCE, comm, result);
    }

    NcclResult broadcast(long from, long to, long count, NcclType type, int root, long comm, long stream) {
        int code = type.code();
        int result;
        try {
            result = (int) PlainCalls.BROADCAST.invokeExact(broadcast, from, to, count, code, root, comm, stream);
        } catch (Throwable e) {
            throw NcclErrors.threw(NcclFunction.BROADCAST, e);
        }
        return errors.check(NcclFunction.BROADCAST, comm, result);
    }

    /** @param count of what a rank receives */
    NcclResult reduceScatter(long from, long to, long count, NcclType type, int op, long comm, long stream) {
        int code = type.code();
        int result;
        try {
            result =
                    (int) PlainCalls.REDUCE_SCATTER.invokeExact(reduceScatter, from, to, count, code, op, comm, stream);
        } catch (Throwable e) {
            throw NcclErrors.threw(NcclFunction.REDUCE_SCATTER, e);
        }
        return errors.check(NcclFunction.REDUCE_SCATTER, comm, result);
    }

    /** @param count of what a rank sends */
    NcclResult allGather(long from, long to, long count, NcclType type, long comm, long stream) {
        int code = type.code();
        int result;
        try {
            result = (int) PlainCalls.ALL_GATHER.invokeExact(allGather, from, to, count, code, comm, stream);
        } catch (Throwable e) {
            throw NcclErrors.threw(NcclFunction.ALL_GATHER, e);
        }
        return errors.check(NcclFunction.ALL_GATHER, comm, result);
    }

    NcclResult send(long from, long count, NcclType type, int peer, long comm, long stream) {
        int code = type.code();
        int result;
        try {
            result = (int) PlainCalls.SEND.invokeExact(send, from, count, code, peer, comm, stream);
        } catch (Throwable e) {
            throw NcclErrors.threw(NcclFunction.SEND, e);
        }
        return errors.check(NcclFunction.SEND, comm, result);
    }

    NcclResult receive(long to, long count, NcclType type, int peer, long comm, long stream) {
        int code = type.code();
        int result;
        try {
            result = (int) PlainCalls.RECV.invokeExact(receive, to, count, code, peer, comm, stream);
        } catch (Throwable e) {
            throw NcclErrors.threw(NcclFunction.RECV, e);
        }
        return errors.check(NcclFunction.RECV, comm, result);
    }

    /** Optional. @param count of what goes to each rank */
    NcclResult allToAll(long from, long to, long count, NcclType type, long comm, long stream) {
        MethodHandle handle = library.function(NcclFunction.ALL_TO_ALL);
        int code = type.code();
        return errors.checked(
                NcclFunction.ALL_TO_ALL, comm, () -> (int) handle.invokeExact(from, to, count, code, comm, stream));
    }

    /** Optional. @param count of what a rank sends */
    NcclResult gather(long from, long to, long count, NcclType type, int root, long comm, long stream) {
        return rooted(NcclFunction.GATHER, from, to, count, type, root, comm, stream);
    }

    /** Optional. @param count of what a rank receives */
    NcclResult scatter(long from, long to, long count, NcclType type, int root, long comm, long stream) {
        return rooted(NcclFunction.SCATTER, from, to, count, type, root, comm, stream);
    }

    private NcclResult rooted(
            NcclFunction function, long from, long to, long count, NcclType type, int root, long comm, long stream) {
        MethodHandle handle = library.function(function);
        int code = type.code();
        return errors.checked(
                function, comm, () -> (int) handle.invokeExact(from, to, count, code, root, comm, stream));
    }

    /**
     * {@return the number of a sum that multiplies first} It is of this communicator and type alone; it may be destroyed when the last call with it
     * has been made, ended or not.
     *
     * @param factor rounded to the type, and read before this returns
     */
    int createPreMulSum(double factor, NcclType type, long comm) {
        MethodHandle handle = library.function(NcclFunction.RED_OP_CREATE_PRE_MUL_SUM);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment scalar = arena.allocate(JAVA_LONG);
            NcclScalar.write(factor, type, scalar);
            MemorySegment op = arena.allocate(JAVA_INT);
            int code = type.code();
            long at = op.address();
            long from = scalar.address();
            errors.checked(NcclFunction.RED_OP_CREATE_PRE_MUL_SUM, comm, () ->
                    (int) handle.invokeExact(at, from, code, NcclScalar.HOST_IMMEDIATE, comm));
            return op.get(JAVA_INT, 0);
        }
    }

    void destroyPreMulSum(int op, long comm) {
        MethodHandle handle = library.function(NcclFunction.RED_OP_DESTROY);
        errors.checked(NcclFunction.RED_OP_DESTROY, comm, () -> (int) handle.invokeExact(op, comm));
    }
}
