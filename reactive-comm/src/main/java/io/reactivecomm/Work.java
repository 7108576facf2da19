package io.reactivecomm;

import java.time.Duration;
import java.util.List;

/**
 * The account of a finished call, emitted once its result is in the tensors.
 *
 * @param operation the operation, such as {@code all-reduce}
 * @param tensors the tensors that hold the result on this rank; empty where there is none
 * @param sequence the call's ticket: its place among the calls of the same group and name, from 0; for a message its number
 * @param byteSize the size of the call as nccl-tests counts it, in bytes
 * @param durationNanos time from subscription until the subscriber could be told on this rank, in nanoseconds
 * @param backend the engine that ran it, such as {@code links}
 * @param algorithm the schedule that ran, such as {@code rank-order-direct}
 * @param peer the other rank of a send or a receive, in the group; {@link #NO_PEER} for a collective
 */
public record Work(
        String operation,
        List<Tensor> tensors,
        long sequence,
        long byteSize,
        long durationNanos,
        String backend,
        String algorithm,
        int peer) {

    /** The {@link #peer()} of a call that has none. */
    public static final int NO_PEER = -1;

    /** {@return time from subscription until the subscriber could be told on this rank: the result was in the tensors} */
    public Duration duration() {
        return Duration.ofNanos(durationNanos);
    }
}
