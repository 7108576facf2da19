package io.reactivecomm.mpi;

import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The part that MPI has in a call on this rank: collectives in an order that is the same on all ranks, messages beside them, and what is done to the tensors before and
 * after.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Plan {

    private final List<Step> collectives = new ArrayList<>();
    private final List<Step> messages = new ArrayList<>();
    private final List<Runnable> after = new ArrayList<>();
    private final List<Tensor> scratch = new ArrayList<>();

    void collective(Step step) {
        collectives.add(step);
    }

    /** It needs its other end, and is never made in its blocking form. */
    void message(Step step) {
        messages.add(step);
    }

    /** What follows once MPI is done, in this order. */
    void after(Runnable work) {
        after.add(work);
    }

    /** Memory that is freed at the end. */
    Tensor keep(Tensor memory) {
        scratch.add(memory);
        return memory;
    }

    List<Step> collectives() {
        return collectives;
    }

    List<Step> messages() {
        return messages;
    }

    void finish() {
        after.forEach(Runnable::run);
    }

    /** Frees what it took. */
    void free() {
        scratch.forEach(Tensor::close);
        scratch.clear();
    }
}
