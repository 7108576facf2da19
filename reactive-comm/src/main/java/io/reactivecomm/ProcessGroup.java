package io.reactivecomm;

import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * The ranks that communicate, and the calls they make together.
 *
 * <p>Every call is a cold {@link Mono}: nothing happens before subscription. What identifies it is fixed when it is <em>assembled</em>:
 * each name of the group (the empty one by default) counts its calls, so ranks that assemble the same calls in the same order, name by
 * name, may subscribe to them in any order and from any thread. Where assembly order depends on timing, give the calls names with
 * {@link #named}. The n-th subscription of one Mono is a call of its own, matched with the n-th subscription on the other ranks.
 *
 * <p><b>Subscription and cancellation.</b> Cancelling detaches the subscriber; the call runs on, because the other ranks count on it.
 * {@link Tensor#released()} tells when it has let go of its tensors.
 *
 * <p><b>Buffers.</b> A call borrows its tensors from subscription to its terminal signal and touches them neither before nor after.
 * After an error the content of an output tensor is unspecified.
 *
 * <p><b>Threads.</b> All methods may be called from any thread. Signals come on the group's event loop, a
 * {@link reactor.core.scheduler.NonBlocking} thread where {@code block()} fails at once: use
 * {@link Mono#publishOn(reactor.core.scheduler.Scheduler)} before heavy work.
 *
 * <p><b>Errors.</b> A Mono ends with a value or a {@link CommException} within its deadline:
 * {@link InvalidCallException} for this rank's own or another rank's wrong arguments, {@link UnsupportedCollectiveException},
 * {@link MismatchException} where ranks issued different calls, {@link CommTimeoutException}, {@link PeerLostException},
 * {@link GroupClosedException}. When one rank fails a call, every rank whose call is unfinished fails with the same cause; a retry is
 * therefore a new call that all ranks agree on, never a local {@code retry()}.
 *
 * <p><b>Bits.</b> On the links engine every rank gets the same bits and so do two runs: elements are folded from the left in
 * group-rank order, one rounding a step; 16-bit floating point accumulates in FLOAT32 and rounds once.
 */
public interface ProcessGroup extends AutoCloseable {

    /** In {@link #receive}: take the message of whichever rank sends first. */
    int ANY = -1;

    /** {@return this process's place in the group, from 0} */
    int rank();

    /** {@return the number of ranks in the group} */
    int size();

    /**
     * {@return the place in the world of a rank of this group}
     *
     * @throws IndexOutOfBoundsException if the group has no such rank
     */
    int globalRank(int rank);

    /** {@return the world ranks of the members, in group order} */
    List<Integer> ranks();

    /** {@return how often this group has been recovered; 0 for a new one} */
    int generation();

    /** Allocates a zeroed tensor in the memory that suits this group's engine best. */
    Tensor allocate(DType type, long... shape);

    /** As {@link #allReduce(Tensor, Tensor, Reduction)}, in place. */
    Mono<Work> allReduce(Tensor tensor, Reduction op);

    /**
     * Reduces the inputs of all ranks elementwise; every rank gets the result.
     *
     * <p><b>Shapes.</b> {@code input} and {@code output} have the same type and count, equal on all ranks. <b>In place</b> if they are the
     * same memory; partial overlap is an error.
     *
     * <p><b>Cost.</b> For n ranks and S bytes: while n·S is up to 16 KiB one step of (n−1)·S sent; above, two steps of S·(n−1)/n each.
     */
    Mono<Work> allReduce(Tensor input, Tensor output, Reduction op);

    /**
     * Reduces the tensors of all ranks elementwise into the root's. The others' are only read.
     *
     * <p><b>Shapes.</b> The same type and count on all ranks.
     *
     * <p><b>Cost.</b> Direct: one step, (n−1)·S into the root. Chain, for large tensors on many ranks: n steps, pipelined, S through each
     * rank, with S bytes of scratch (2·S for 16-bit floating point) on the ranks between.
     *
     * @param root the rank that gets the result, in the group
     */
    Mono<Work> reduce(Tensor tensor, int root, Reduction op);

    /**
     * Copies the root's tensor to all ranks.
     *
     * <p><b>Shapes.</b> The same type and count on all ranks.
     *
     * <p><b>Cost.</b> ⌈log₂ n⌉ steps of S along a binomial tree, pipelined.
     */
    Mono<Work> broadcast(Tensor tensor, int root);

    /**
     * Concatenates the inputs of all ranks, in rank order, on every rank.
     *
     * <p><b>Shapes.</b> {@code output} has n times the elements of {@code input}, which is equally long on all ranks. <b>In place</b> if
     * {@code input} is the rank's own part of {@code output}; any other overlap is an error.
     *
     * <p><b>Cost.</b> One step; each rank sends its input n−1 times.
     */
    Mono<Work> allGather(Tensor input, Tensor output);

    /**
     * Reduces the inputs elementwise and leaves the r-th part of the result on rank r.
     *
     * <p><b>Shapes.</b> {@code input} has n times the elements of {@code output}, which is equally long on all ranks. <b>In place</b> if
     * {@code output} is the rank's own part of {@code input}; any other overlap is an error.
     *
     * <p><b>Cost.</b> One step of (n−1) parts sent by each rank.
     */
    Mono<Work> reduceScatter(Tensor input, Tensor output, Reduction op);

    /**
     * Completes once every rank has subscribed to its barrier.
     *
     * <p><b>Cost.</b> ⌈log₂ n⌉ steps without payload (dissemination).
     */
    Mono<Work> barrier();

    /**
     * Sends a tensor to one rank. It completes once the receiver has issued the receive and the bytes have left the tensor.
     *
     * <p>Messages between two ranks with the same name and tag match in the order in which their calls are subscribed to.
     *
     * @param peer the receiving rank, in the group
     * @param tag any number; tells apart what goes between the same two ranks
     */
    Mono<Work> send(Tensor tensor, int peer, int tag);

    /**
     * Receives a tensor from one rank, or from {@link #ANY}; {@link Work#peer()} tells from which.
     *
     * <p><b>Shapes.</b> The type and count of the matching {@link #send}; anything else is a {@link MismatchException} on both.
     */
    Mono<Work> receive(Tensor tensor, int peer, int tag);

    /**
     * {@return a view whose calls are counted under a name of their own}
     * Views with the same name share their count, which is kept as long as the group: names are for layers, not for steps. Closing a view
     * closes the group.
     *
     * @param name at most 1024 bytes of UTF-8
     * @throws IllegalArgumentException if it is longer
     */
    ProcessGroup named(String name);

    /**
     * {@return a view whose calls have that deadline, counted from their subscription}
     *
     * @throws IllegalArgumentException if it is not positive
     */
    ProcessGroup timeout(Duration deadline);

    /**
     * Aborts the group on all ranks: pending and later calls fail with {@link GroupClosedException}.
     *
     * @param reason shown in every rank's error
     */
    void abort(String reason);

    /**
     * Leaves the group: pending calls of this rank fail, its peers are told, and what it holds is freed. Idempotent, throws nothing
     * checked; returns once the links are flushed, after at most about a second.
     */
    @Override
    void close();
}
