package io.reactivecomm;

import io.reactivecomm.device.Handle;
import io.reactivecomm.observe.CallPhases;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The account of a finished call, emitted once its result is in the tensors; of a call through {@link ProcessGroup#enqueued()}, once it is enqueued.
 *
 * <p>Only the library makes them, so accessors may be added in any version.
 *
 * <p><b>Threads.</b> Any.
 */
public interface Work {

    /** The {@link #peer()} of a call that has none. */
    int NO_PEER = -1;

    /** {@return the operation, such as {@code all-reduce}} */
    String operation();

    /** {@return the tensors that hold the result on this rank; empty where there is none} */
    List<Tensor> tensors();

    /** {@return the call's ticket: its place among the calls of the same group and name, from 0; for a message its number} */
    long sequence();

    /**
     * {@return the size of the call as nccl-tests counts it, in bytes}
     * It is the same on all ranks: of a gather, for example, the sum of all parts. Only if parts differ in length, ranks that do not know the others' count
     * what they know: of a gather or scatter off the root as many parts as ranks, and of an all-to-all what they send or receive.
     */
    long byteSize();

    /** {@return time from subscription until the subscriber could be told on this rank, in nanoseconds} */
    long durationNanos();

    /** {@return the engine that ran it, such as {@code links}} */
    String backend();

    /** {@return the schedule that ran, such as {@code rank-order-direct}} */
    String algorithm();

    /** {@return the other rank of a send or a receive, in the group; {@link #NO_PEER} for a collective} */
    int peer();

    /** {@return the name under which the group counts the call; empty by default} */
    String name();

    /** {@return how many ranks the call's group has} */
    int groupSize();

    /** {@return how long it was in which phase on this rank, if somebody observed it} */
    Optional<CallPhases> phases();

    /** {@return what tells of the end of a call that may still run on a device; {@link Handle#DONE} where the result is in the tensors} */
    Handle handle();

    /** {@return time from subscription until the subscriber could be told on this rank: the result was in the tensors, or it was enqueued} */
    default Duration duration() {
        return Duration.ofNanos(durationNanos());
    }
}
