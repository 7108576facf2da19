package io.reactivecomm.spi;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.Work;

/**
 * Performs whole collectives of the tensors of some device, such as NCCL those of GPUs; the engine over links, which is called
 * {@code links}, is built in.
 *
 * <p>What such an engine is not told yet: that a group was aborted or a rank lost, which its calls find out by their deadline, and that a
 * call was refused on another rank; what it needs of that, its control group can carry.
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
