package io.reactivecomm.internal.train;

import io.reactivecomm.Handle;
import io.reactivecomm.Move;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.internal.train.BucketPlan.Slot;
import io.reactivecomm.train.Gradient;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One bucket of one step, from its memory to its results.
 *
 * <pre>
 *   takeMemory ──&gt; packing ──&gt; packed ──&gt; reduce ──&gt; reduced ──&gt; unpacking ──&gt; letGo ──&gt; result
 *        └────────────────────── a failure, anywhere ────────────────^
 * </pre>
 *
 * <p><b>Threads.</b> One at a time, each after the effects of the one before are visible; {@link #reduced} on any.
 */
interface Flight {

    /** The gradients of the step, and their homes. */
    interface Gradients {

        /** {@return the gradient that this rank has for a parameter, or null} */
        @Nullable Gradient at(int parameter);

        /** {@return whether a parameter's home is summed as it stands} */
        boolean isKept(int parameter);

        /** {@return the memory in which all gradients of a bucket have their homes, or null} */
        @Nullable Tensor homes(Bucket bucket);

        /** {@return the tensor in which a gradient comes back that this rank does not have} */
        Tensor lacking(Slot slot);
    }

    Bucket bucket();

    /** Takes the memory of the call. {@return whether there is any; if not, there is once another flight has landed} */
    boolean takeMemory();

    /** {@return the moves that put the gradients there} */
    List<Move> packing();

    /** The packing is done when the handle is. */
    void packed(Handle handle);

    /** {@return the end of the packing; null if that is now} */
    @Nullable Mono<Void> packed();

    /**
     * {@return the call that reduces it} It begins after it was packed.
     *
     * @param inside the view of the step's calls
     * @param present emits one byte for each gradient, 1 where some rank has it
     */
    Mono<Work> reduce(ProcessGroup inside, Mono<byte[]> present);

    /** The call has its result, or is enqueued. */
    void reduced(Work work);

    /** {@return the moves that bring results out of memory that others use next} @param present one byte for each gradient, 1 where some rank has it */
    List<Move> unpacking(byte[] present);

    /** {@return the end of everything that is enqueued; null if that is now} @param unpacked the end of the unpacking */
    @Nullable Mono<Void> end(Handle unpacked);

    /**
     * Releases the memory, if there is any.
     *
     * @param isReduced whether the call succeeded; after a failure a library may still write to the memory
     */
    void letGo(boolean isReduced);

    /** {@return the result of a gradient} Not for one that no rank has. */
    Gradient result(Slot slot);

    /** Closes results that are not emitted. */
    void discard();
}
