package io.reactivecomm.mpi;

import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The part that MPI has in a call on this rank: collectives in an order that is the same on all ranks, messages beside them, and what is done to the tensors before and
 * after.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Plan {

    private final PlanMemory memory;
    private final List<ReadyCall> collectives = new ArrayList<>();
    private final List<ReadyCall> messages = new ArrayList<>();
    private final List<Runnable> after = new ArrayList<>();
    private final List<Tensor> scratch = new ArrayList<>();

    /** @param memory what MPI is given for the call's tensors; it is freed with the plan */
    Plan(PlanMemory memory) {
        this.memory = memory;
    }

    PlanMemory memory() {
        return memory;
    }

    void collective(ReadyCall step) {
        collectives.add(step);
    }

    /** It needs its other end, and is never made in its blocking form. */
    void message(ReadyCall step) {
        messages.add(step);
    }

    /** What follows once MPI is done, in this order. */
    void after(Runnable work) {
        after.add(work);
    }

    /** {@return memory as the call's, which is freed at the end} */
    MemorySegment scratch(long bytes) {
        return memory.at(keep(memory.scratch(bytes)));
    }

    /** Memory that is freed at the end. */
    Tensor keep(Tensor memory) {
        scratch.add(memory);
        return memory;
    }

    List<ReadyCall> collectives() {
        return collectives;
    }

    List<ReadyCall> messages() {
        return messages;
    }

    /** {@return when the results are in the tensors} */
    DeviceCompletion finish() {
        after.forEach(Runnable::run);
        memory.finish();
        return memory.arrival();
    }

    /** Frees what it took. */
    void free() {
        scratch.forEach(Tensor::close);
        scratch.clear();
        memory.free();
    }
}
