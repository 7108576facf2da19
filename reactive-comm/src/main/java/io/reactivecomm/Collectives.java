package io.reactivecomm;

import java.util.List;

/**
 * The operations in which all ranks of a group take part, whatever a call of them becomes: a cold {@code Mono} of a {@link ProcessGroup}, or
 * a part of the single call that a {@link CoalesceScope} makes.
 *
 * @param <R> what a call is
 */
public interface Collectives<R> {

    /** As {@link #allReduce(Tensor, Tensor, Reduction)}, in place. */
    R allReduce(Tensor tensor, Reduction op);

    /**
     * Reduces the inputs of all ranks elementwise; every rank gets the result.
     *
     * <p><b>Shapes.</b> {@code input} and {@code output} have the same type and count, equal on all ranks. <b>In place</b> if they are the
     * same memory; partial overlap is an error.
     *
     * <p><b>Cost.</b> For n ranks and S bytes: while n·S is up to 16 KiB, or 128 KiB between two, one step of (n−1)·S sent; above, two steps of
     * S·(n−1)/n each. Where the order of operands cannot change a bit, many ranks take ⌊log₂ n⌋ steps of S for few bytes, and a ring for many.
     */
    R allReduce(Tensor input, Tensor output, Reduction op);

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
    R reduce(Tensor tensor, int root, Reduction op);

    /**
     * Copies the root's tensor to all ranks.
     *
     * <p><b>Shapes.</b> The same type and count on all ranks.
     *
     * <p><b>Cost.</b> ⌊log₂ n⌋ steps of S along a binomial tree, pipelined; a chain of n−1 steps for large tensors.
     */
    R broadcast(Tensor tensor, int root);

    /**
     * Concatenates the inputs of all ranks, in rank order, on every rank.
     *
     * <p><b>Shapes.</b> {@code output} has n times the elements of {@code input}, which is equally long on all ranks. <b>In place</b> if
     * {@code input} is the rank's own part of {@code output}; any other overlap is an error.
     *
     * <p><b>Cost.</b> One step; each rank sends its input n−1 times.
     */
    R allGather(Tensor input, Tensor output);

    /**
     * As {@link #allGather(Tensor, Tensor)}, with an output for each rank.
     *
     * <p><b>Shapes.</b> {@code outputs} has a tensor for each rank, as long as that rank's input; they may differ, and all ranks pass the
     * same lengths. <b>In place</b> if {@code input} is the rank's own output.
     */
    R allGather(Tensor input, List<Tensor> outputs);

    /**
     * Reduces the inputs elementwise and leaves the r-th part of the result on rank r.
     *
     * <p><b>Shapes.</b> {@code input} has n times the elements of {@code output}, which is equally long on all ranks. <b>In place</b> if
     * {@code output} is the rank's own part of {@code input}; any other overlap is an error.
     *
     * <p><b>Cost.</b> One step of (n−1) parts sent by each rank.
     */
    R reduceScatter(Tensor input, Tensor output, Reduction op);

    /**
     * As {@link #reduceScatter(Tensor, Tensor, Reduction)}, with an input for each rank.
     *
     * <p><b>Shapes.</b> {@code inputs} has a tensor for each rank, as long as that rank's output; they may differ, and all ranks pass the
     * same lengths. <b>In place</b> if {@code output} is the rank's own input.
     */
    R reduceScatter(List<Tensor> inputs, Tensor output, Reduction op);

    /**
     * Gives part p of every rank's input to rank p.
     *
     * <p><b>Shapes.</b> Input and output are equally long, on all ranks, and their length is a multiple of the group's size. They do not
     * overlap.
     *
     * <p><b>Cost.</b> One step of n−1 parts sent by each rank; for small parts on many ranks ⌈log₂ n⌉ steps of up to n/2 parts.
     */
    R allToAll(Tensor input, Tensor output);

    /**
     * As {@link #allToAll(Tensor, Tensor)}, with parts of different lengths.
     *
     * <p><b>Shapes.</b> {@code inputSplits[p]} elements go to rank p, {@code outputSplits[p]} come from it; each pair of ranks agrees on
     * what goes between them, and the splits cover the tensors.
     */
    R allToAll(Tensor input, long[] inputSplits, Tensor output, long[] outputSplits);

    /** As {@link #allToAll(Tensor, long[], Tensor, long[])}, with a tensor for each part. */
    R allToAll(List<Tensor> inputs, List<Tensor> outputs);

    /**
     * Collects every rank's input on the root.
     *
     * <p><b>Shapes.</b> {@code outputs} has a tensor for each rank on the root, as long as that rank's input, and is empty elsewhere.
     * <b>In place</b> if the root's input is its own output.
     *
     * <p><b>Cost.</b> One step; the root receives n−1 parts.
     *
     * @param root the rank that gets the result, in the group
     */
    R gather(Tensor input, List<Tensor> outputs, int root);

    /**
     * Hands out the root's inputs, one to each rank.
     *
     * <p><b>Shapes.</b> {@code inputs} has a tensor for each rank on the root, as long as that rank's output, and is empty elsewhere.
     * <b>In place</b> if the root's output is its own input.
     *
     * <p><b>Cost.</b> One step; the root sends n−1 parts.
     */
    R scatter(List<Tensor> inputs, Tensor output, int root);

    /**
     * All-reduces several tensors in place as one call: small ones cost hardly more than their bytes.
     *
     * <p><b>Shapes.</b> One type; the same lengths on all ranks.
     */
    R allReduceCoalesced(List<Tensor> tensors, Reduction op);

    /** All-gathers several tensors as one call; shapes as {@link #allGather(Tensor, Tensor)} for each input and its output. */
    R allGatherCoalesced(List<Tensor> inputs, List<Tensor> outputs);

    /**
     * All-reduces a tensor in place in the fewest steps that its size allows. The result has the bits of {@link #allReduce(Tensor, Reduction)}.
     *
     * <p><b>Errors.</b> {@link UnsupportedCollectiveException} for a reduction that the type does not take. No tensor is left unreduced
     * silently.
     *
     * <p><b>Cost.</b> Over links, one step of (n−1)·S where all ranks' tensors together have at most 1 MiB, and two steps of 2·S·(n−1)/n
     * beyond it; several hosts of several ranks add a step within each host and move fewer bytes between hosts. NCCL and MPI run their
     * own all-reduce. {@link Work#algorithm()} names what ran.
     */
    R inferenceAllReduce(Tensor tensor, Reduction op);
}
