package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.Handle;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * The memory that MPI is given for a call's tensors: their own in the host's, a copy of a device's in the host's, or a device's own.
 *
 * <pre>
 *   at its turn ── what it enqueues ── arrived ──&gt; plan ── arrived ──&gt; MPI ──&gt; finish ── arrived ──&gt; the call ends
 * </pre>
 *
 * <p><b>Threads.</b> One at a time; {@link #free} any.
 */
sealed interface PlanMemory permits PlanMemory.OfHost, DeviceWork {

    /** That of tensors of the host. */
    PlanMemory HOST = new OfHost();

    /** {@return the elements of a tensor as MPI is to have them} */
    MemorySegment at(Tensor tensor);

    /** {@return more memory of the same kind, whose elements are undefined} */
    Tensor scratch(long bytes);

    /** Copies bytes within the memory, or enqueues that. Both are as long. */
    void copy(MemorySegment from, MemorySegment to);

    /** MPI is done: results go where they belong. */
    void finish();

    /** {@return the end of what it has enqueued since it was last asked} */
    Arrival arrival();

    /** Makes calls of MPI with this memory. */
    void give(Runnable calls);

    /**
     * The call has failed while MPI has it: nothing more is enqueued for it.
     *
     * @param hands of MPI, in what it was given
     * @return when nobody touches the call's tensors any more
     */
    Handle giveUp(Handle hands);

    /** Frees what it holds, once nothing is enqueued there. Idempotent. {@return when no device touches the call's tensors any more} */
    Handle free();

    /** The tensors' own memory, which the host reads and writes. */
    final class OfHost implements PlanMemory {

        private OfHost() {}

        @Override
        public MemorySegment at(Tensor tensor) {
            return tensor.segment();
        }

        @Override
        public Tensor scratch(long bytes) {
            return Tensor.allocate(DType.UINT8, bytes);
        }

        @Override
        public void copy(MemorySegment from, MemorySegment to) {
            to.copyFrom(from);
        }

        @Override
        public void finish() {}

        @Override
        public Arrival arrival() {
            return Arrival.DONE;
        }

        @Override
        public void give(Runnable calls) {
            calls.run();
        }

        @Override
        public Handle giveUp(Handle hands) {
            return hands;
        }

        @Override
        public Handle free() {
            return Handle.DONE;
        }
    }
}
