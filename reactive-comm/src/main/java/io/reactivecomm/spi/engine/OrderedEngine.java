package io.reactivecomm.spi.engine;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A library of collectives that needs one order of calls on all ranks, such as NCCL or MPI; a
 * {@link io.reactivecomm.sequence.SequencedEngine} stands in front of it and brings that order about.
 *
 * <p>What is in front keeps deadlines, compares signatures, and ends calls that were not handed on. A call that was handed on belongs to
 * this engine, which alone ends it: only it knows when the library touches its tensors no more. So one that fails, or does not end in time,
 * takes its whole group with it, on all members, because those cannot take back what they have begun.
 *
 * <p><b>Errors.</b> One that throws, whatever that is, ends what it was told of, on all ranks. Of calls it may have begun some before, on a thread of its own:
 * their tensors stay borrowed until it ends them itself, all the same. An error that is fatal to the JVM is thrown on after that.
 *
 * <p><b>Threads.</b> One method at a time, on changing threads, a loop's among them: none may block. Ends may be told from any thread, also
 * from inside {@link #run}.
 */
public interface OrderedEngine {

    /** {@return why it does not perform calls of a kind, or null, as {@link CollectiveEngine#refusal}} May be called from any thread, at any time. */
    @Nullable String refusal(EngineGroup group, CallKind kind);

    /** Requires that it can use a call's tensors, as {@link CollectiveEngine#requireUsable}; may be called from any thread, at any time. */
    default void requireUsable(EngineGroup group, Collective call) {}

    /** As {@link CollectiveEngine#memory()}; may be called from any thread, at any time. */
    default @Nullable DeviceMemory memory() {
        return null;
    }

    /** {@return which ranks take part when a group is opened, the same on all} By default groups need no opening. */
    default Formation formation() {
        return Formation.NOBODY;
    }

    /**
     * Begins a batch of turns.
     *
     * <p>Batches come in one order on all ranks. A rank gets those turns of a batch that it takes part in. So of each group's, all members
     * get the same calls in the same order in the same batch. A batch of calls may be merged as NCCL merges what is between the start and the
     * end of a group: no call of it writes memory that another one touches, since a call that {@linkplain EngineCall#sharesMemory shares memory} on some rank is a batch
     * of its own. So is an opening or a freeing. Further batches come while earlier ones run: a library that blocks works them off in this order.
     *
     * <p>A message is a call of two ranks, which both get it in the same batch; a receive from any names its source by then. A scope is one call
     * ({@link io.reactivecomm.collective.Coalesced}): {@code members()} are the same on all ranks, and {@code messages()} have been compared: the n-th
     * that a rank sends to another, or to itself, is the n-th that this one receives from it.
     */
    void run(List<Turn> batch);

    /** {@return whether calls can end when they are enqueued, as {@link CollectiveEngine#enqueues}} */
    default boolean enqueues() {
        return false;
    }

    /**
     * A group has failed: what runs in it is stopped, and each of its calls ended with the cause: once its tensors have been let go of, or at once, with
     * the library's hands still in them. Handles of what is enqueued fail with the cause, too. No turn of it
     * comes any more, and what the engine holds for it is freed without the others; an opening under way is given up, and
     * may come anew, for the members alone, if a rank that is none has left, or what it was split from has failed. The group may be one of which no turn ever
     * came, or that this rank has closed, or is no member of. Idempotent.
     */
    void abandonGroup(EngineGroup group, Failure cause);

    /**
     * This rank has closed a group: what runs in it is stopped and ended. What the engine holds for it stays until it is {@linkplain Turn.Freeing freed} or
     * abandoned, since others may be at it, or be splitting a group from it. Idempotent.
     */
    void closeGroup(EngineGroup group);

    /** The world ends: what runs is stopped and ended, and everything is freed. Idempotent. */
    void close();
}
