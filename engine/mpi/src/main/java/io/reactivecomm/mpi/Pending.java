package io.reactivecomm.mpi;

import io.reactivecomm.CommException;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A thing that MPI has been given and has not ended: a small call, or a barrier that was called off.
 *
 * @param of the call; null if it is none
 * @param requests those that have not ended
 */
record Pending(@Nullable Begun of, List<MemorySegment> requests) {

    /** A call that has begun, and what MPI has in it. */
    record Begun(Running running, Plan plan) {

        private void end(DeviceCompletion results) {
            plan.free();
            try {
                results.requireWell();
                running.succeed("non-blocking");
            } catch (CommException e) {
                running.failed(MpiFailures.of(running, e));
            }
        }
    }

    /** {@return whether somebody waits for it} */
    boolean isAwaited() {
        return of != null && !of.running().isEnded();
    }

    /**
     * {@return whether all of it has ended}
     *
     * @param flag the address of an int that nobody else uses meanwhile
     * @param free takes the places of requests that have ended
     */
    boolean isDone(MpiSetup setup, MemorySegment flag, Consumer<MemorySegment> free) {
        Iterator<MemorySegment> left = requests.iterator();
        while (left.hasNext()) {
            MemorySegment request = left.next();
            if (!setup.isDone(request.address(), flag)) {
                return false;
            }
            left.remove();
            free.accept(request);
        }
        return true;
    }

    /** MPI is done with it: once its results are in the tensors, its end is reported. */
    void end() {
        if (of == null) {
            return;
        }
        Begun begun = of;
        DeviceCompletion results =
                begun.running().isEnded() ? DeviceCompletion.DONE : begun.plan().finish();
        results.whenDone(() -> begun.end(results));
    }

    /** Frees its memory, which MPI does not have any more. */
    void free() {
        if (of != null) {
            of.plan().free();
        }
    }
}
