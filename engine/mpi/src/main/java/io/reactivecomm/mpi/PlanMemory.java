package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Handle;
import java.lang.foreign.MemorySegment;

/**
 * The memory that MPI receives for a call's tensors: the host tensors' own memory, a copy of device tensors in host memory, or device memory.
 *
 * <pre>
 *   the call's turn ── enqueued copies ── arrived ──&gt; plan ── arrived ──&gt; MPI ──&gt; finish ── arrived ──&gt; the call ends
 * </pre>
 *
 * <p><b>Threads.</b> One at a time; {@link #free} any.
 */
sealed interface PlanMemory permits PlanMemory.OfHost, DeviceWork {

    /** The memory of host tensors. */
    PlanMemory HOST = new OfHost();

    /** {@return the memory that MPI receives for a tensor's elements} */
    MemorySegment at(Tensor tensor);

    /** {@return more memory of the same kind, whose elements are undefined} */
    Tensor scratch(long bytes);

    /** Copies bytes within the memory, or enqueues the copy. Both segments have the same length. */
    void copy(MemorySegment from, MemorySegment to);

    /** Copies the results to the tensors, after MPI has completed the call. */
    void finish();

    /** {@return the completion of the work that was enqueued since the previous call of this method} */
    DeviceCompletion arrival();

    /** Makes calls of MPI with this memory. */
    void give(Runnable calls);

    /**
     * Gives up a call that fails while MPI performs it. No further work is enqueued for the call.
     *
     * @param hands released when MPI no longer accesses the memory that it received
     * @return a handle, released when neither MPI nor a device accesses the call's tensors
     */
    Handle giveUp(Handle hands);

    /** Frees the memory once its enqueued work is complete. Idempotent. {@return a handle, released when no device accesses the call's tensors} */
    Handle free();

    /** The memory of host tensors, used in place. */
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
        public DeviceCompletion arrival() {
            return DeviceCompletion.DONE;
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
