package io.reactivecomm;

/**
 * The calls of {@link ProcessGroup#coalesce}: each is checked as it is made here, and becomes a part of one call.
 *
 * <p>They run at the same time, so none may write where another reads or writes, and none sees another's result. What collectives they are is up to the
 * program and the same on all ranks: the same operations on tensors of the same types and lengths, in the same order. Messages are each rank's own. Where an engine beside
 * links performs the collectives and no messages, all ranks have messages or none has: who has none may send itself an empty tensor.
 *
 * <pre>{@code
 * group.coalesce(scope -> scope
 *         .allReduce(gradient, ReduceOp.SUM)
 *         .send(lastRow, below, 0)
 *         .receive(halo, above, 0))
 * }</pre>
 *
 * <p><b>Threads.</b> The one that coalesces, until it returns from doing so.
 */
public interface CoalesceScope extends Collectives<CoalesceScope> {

    /**
     * Sends a tensor to a rank that receives it in the same scope; to this rank itself, too, which copies it.
     *
     * <p>It pairs with nothing outside the scope. For each two ranks and direction, the n-th send is for the n-th receive, whatever else the scopes have
     * between them. Types, counts and tags have to be the same in the same order.
     *
     * <p><b>Shapes.</b> The type and count of the matching {@link #receive}; it may be empty.
     *
     * <p><b>Errors.</b> Where two ranks do not mean the same messages, the scope is a {@link MismatchException} on all ranks within a round trip, which
     * lists what each exchanges with whom. {@link InvalidCallException} where this rank sends itself something else than it receives. A rank that has
     * nothing to exchange while others have, nor a collective to make, still makes the scope: it may send itself an empty tensor.
     *
     * @param peer the receiving rank, in the group
     * @param tag any number, the same on both ranks
     */
    CoalesceScope send(Tensor tensor, int peer, int tag);

    /**
     * Receives a tensor that a rank sends in the same scope, as {@link #send} says.
     *
     * <p><b>Errors.</b> {@link InvalidCallException} for {@link ProcessGroup#ANY}: a rank compares what it exchanges with each other one, before anything
     * moves. Name the source, or receive outside the scope.
     *
     * @param peer the sending rank, in the group
     * @param tag any number, the same on both ranks
     */
    CoalesceScope receive(Tensor tensor, int peer, int tag);
}
