package io.reactivecomm.metrics;

import io.micrometer.observation.Observation;
import io.reactivecomm.observe.ObservedCall;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The observations of composite calls that run, for their parts to find: each by its own group and by any, since a part may be another group's.
 *
 * <p><b>Threads.</b> Any.
 */
final class RunningComposites {

    private final Map<Run, Observation> observations = new ConcurrentHashMap<>();

    /** A composite call that runs. @param group empty for any */
    private record Run(int rank, OptionalLong group, String label) {

        private static Run of(ObservedCall call, String label) {
            return new Run(call.rank(), OptionalLong.of(call.group()), label);
        }

        private Run ofAnyGroup() {
            return new Run(rank, OptionalLong.empty(), label);
        }
    }

    /** A call begins, which may be none of these. */
    void begun(ObservedCall call, Observation observation) {
        if (call.isComposite()) {
            Run run = Run.of(call, call.label());
            observations.put(run, observation);
            observations.put(run.ofAnyGroup(), observation);
        }
    }

    /** A call ends, which may be none of these. */
    void ended(ObservedCall call, Observation observation) {
        if (call.isComposite()) {
            Run run = Run.of(call, call.label());
            observations.remove(run, observation);
            observations.remove(run.ofAnyGroup(), observation);
        }
    }

    /** {@return that of the composite call which that call is part of, or null} */
    @Nullable Observation around(ObservedCall call) {
        if (call.composite().isEmpty()) {
            return null;
        }
        Run run = Run.of(call, call.composite());
        Observation own = observations.get(run);
        return own == null ? observations.get(run.ofAnyGroup()) : own;
    }
}
