package io.reactivecomm.spi;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.Work;

/**
 * Performs whole collectives of the tensors of some device, such as NCCL those of GPUs; the engine over links, which is called
 * {@code links}, is built in.
 *
 * <p>An engine matches calls by identity, whatever order they come in. One that needs the same order on all ranks is an
 * {@link OrderedEngine}, and gets it from what stands in front.
 *
 * <p><b>Threads.</b> All methods may be called from any thread.
 */
public interface CollectiveEngine {

    /** {@return whether it performs that operation on elements of that type} */
    boolean supports(Operation operation, DType type);

    /**
     * Begins a call and returns at once. Calls come in the order in which this rank subscribes to them, which may differ between ranks: what
     * matches them is their identity.
     *
     * <p>The engine ends the call by its sink, once, within its deadline, and touches none of its tensors after that. A call that failed its
     * checks on this rank does not come; one that fails in the engine is the engine's to make known to the other ranks.
     */
    void submit(EngineCall call, Sink sink);

    /**
     * A collective failed its checks on this rank, and will not come: where other ranks have submitted it to this engine, it fails with that
     * cause. They may as well have given it to another engine, which is told too.
     */
    void refused(EngineGroup group, CallKey.Ticket key, Failure cause);

    /**
     * A group was aborted, or a rank of it lost: what is pending in it fails with that cause. Every member's engine is told by its own rank.
     * Idempotent; also comes after {@link #closeGroup} and {@link #close}, and for groups of which no call ever came.
     */
    void failGroup(EngineGroup group, Failure cause);

    /** This rank has closed a group: what is pending in it fails, and what the engine holds for it is freed. Idempotent. */
    void closeGroup(EngineGroup group);

    /** The world ends: what is pending fails, and everything is freed. Idempotent. */
    void close();

    /** Takes the end of one call, from any thread. */
    interface Sink {

        /**
         * The result is in the tensors.
         *
         * @param algorithm what {@link Work#algorithm()} shows
         */
        void succeeded(String algorithm);

        /** The call failed. */
        void failed(Failure failure);
    }
}
