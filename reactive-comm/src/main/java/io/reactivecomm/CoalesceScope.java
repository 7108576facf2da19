package io.reactivecomm;

/**
 * The calls of {@link ProcessGroup#coalesce}: each is checked as it is made here, and becomes a part of one call.
 *
 * <p>They run at the same time, so none may write where another reads or writes, and none sees another's result. What they are is up to the
 * program and the same on all ranks: the same operations on tensors of the same types and lengths, in the same order.
 *
 * <p><b>Threads.</b> The one that coalesces, until it returns from doing so.
 */
public interface CoalesceScope extends Collectives<CoalesceScope> {}
