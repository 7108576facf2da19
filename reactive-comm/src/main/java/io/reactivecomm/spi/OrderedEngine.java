package io.reactivecomm.spi;

import io.reactivecomm.DeviceMemory;
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
 * <p><b>Threads.</b> One method at a time, on changing threads, a loop's among them: none may block. Ends may be told from any thread, also
 * from inside {@link #run}.
 */
public interface OrderedEngine {

    /** {@return why it does not perform calls of a kind, or null, as {@link CollectiveEngine#refusal}} May be called from any thread, at any time. */
    @Nullable String refusal(EngineGroup group, CallKind kind);

    /** As {@link CollectiveEngine#memory()}; may be called from any thread, at any time. */
    default @Nullable DeviceMemory memory() {
        return null;
    }

    /**
     * Begins a batch of calls, all of which are ready on all members of their groups.
     *
     * <p>Batches come in one order on all ranks. A rank gets those calls of a batch that it takes part in. So of each group's, all members
     * get the same calls in the same order in the same batch. A batch may be merged as NCCL merges what is between the start and the
     * end of a group. Further batches come while earlier ones run.
     *
     * <p>A message is a call of two ranks, which both get it in the same batch; a receive from any names its source by then. A scope is one call
     * ({@link io.reactivecomm.collective.Coalesced}): {@code members()} are the same on all ranks, and {@code messages()} have been compared: the n-th
     * that a rank sends to another, or to itself, is the n-th that this one receives from it.
     */
    void run(List<Turn> batch);

    /** The ranks that take part in the opening of a group's communicator. */
    enum Formation {
        /** No rank: the engine has nothing to open. */
        NONE,
        /** The members, as MPI_Comm_create_group has it. */
        MEMBERS,
        /** All ranks of the nearest group that it was made of and that is open, as ncclCommSplit has it. */
        PARENT
    }

    /** {@return which ranks take part in the opening of a group} The same on all ranks. */
    default Formation formation() {
        return Formation.NONE;
    }

    /**
     * Takes part in the opening of a group's communicator. It has its place in the one order, before the group's first call; the world's own group is
     * never opened so.
     *
     * <p>It returns at once. Calls of the group may come before the opening has ended, and begin after it. A rank that is no member takes part
     * although it makes no call, also if it has closed the group that the new one is made of. One that has closed or abandoned the new group meanwhile takes
     * part all the same, since others have begun to; it is told so again afterwards.
     *
     * @param done takes the end; a failure ends the group on all its members, and is nothing to other ranks
     */
    default void open(GroupOpening opening, OpeningSink done) {
        done.succeeded();
    }

    /**
     * Frees a group's communicator: all members have closed the group, or left the world. It has its place in the one order, on all members. Of groups that
     * were abandoned it does not come: they are freed by then.
     */
    default void free(EngineGroup group) {}

    /** Takes the end of one opening, once, from any thread. */
    interface OpeningSink {

        void succeeded();

        void failed(Failure failure);
    }

    /** {@return whether calls can end when they are enqueued, as {@link CollectiveEngine#enqueues}} */
    default boolean enqueues() {
        return false;
    }

    /**
     * A group has failed: what runs in it is stopped, and each of its calls ended with the cause: once its tensors have been let go of, or at once, with
     * the library's hands still in them. Handles of what is enqueued fail with the cause, too. No call of it comes any more. The group may be one of which no call ever came. Idempotent.
     */
    void abandonGroup(EngineGroup group, Failure cause);

    /** This rank has closed a group: what runs in it is ended, as by {@link #abandonGroup}. What was opened for it is freed by {@link #free}. Idempotent. */
    void closeGroup(EngineGroup group);

    /** The world ends: what runs is stopped and ended, and everything is freed. Idempotent. */
    void close();

    /**
     * A call whose turn has come.
     *
     * @param sink takes its end, once
     */
    record Turn(EngineCall call, CollectiveEngine.Sink sink) {}
}
