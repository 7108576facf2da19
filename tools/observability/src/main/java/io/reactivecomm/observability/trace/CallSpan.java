package io.reactivecomm.observability.trace;

/**
 * One call of one rank as its timeline recorded it, on the clock of the job's lowest rank. Times are in nanoseconds; phases that are not known are 0.
 *
 * @param rank in the world
 * @param id the call, the same on all its ranks
 * @param backend the engine; empty for a composite call
 * @param peer the other rank of a message, in the group, or -1
 * @param payloadBytes that this rank gave to its links
 * @param to the end; that of the record if the call has none
 */
record CallSpan(
        int rank,
        Id id,
        String operation,
        String backend,
        int peer,
        long bytes,
        long payloadBytes,
        long from,
        long to,
        Phases phases) {

    /** The phases of {@link io.reactivecomm.observe.CallPhases}. */
    record Phases(long queued, long matching, long wire, long fold) {}

    /**
     * The same call on several ranks.
     *
     * @param label such as {@code gradients#4/bucket.0#0}
     * @param occurrence of the label on the rank, from 0: labels repeat where a job has several worlds
     */
    record Id(String group, int groupSize, String label, int occurrence) {

        /** {@return whether it is a call in a run of a composite call} */
        boolean isIn(Id run) {
            return label.startsWith(run.label + "/");
        }

        /** {@return the name in the label, without the runs that it is in and its number} */
        String name() {
            String last = label.substring(label.lastIndexOf('/') + 1);
            int number = last.lastIndexOf('#');
            return number < 0 ? last : last.substring(0, number);
        }
    }

    /** A row of the table of calls. */
    record Kind(String operation, String backend, int groupSize, long bytes) {}

    Kind kind() {
        return new Kind(operation, backend, id.groupSize, bytes);
    }

    boolean isComposite() {
        return backend.isEmpty();
    }

    boolean isMessage() {
        return peer >= 0;
    }

    /** {@return when the call began on the rank's loop, from which on other ranks can match it} */
    long opened() {
        return from + phases.queued;
    }

    /** {@return when the last rank that it deals with had joined} */
    long matched() {
        return opened() + phases.matching;
    }

    long nanos() {
        return to - from;
    }
}
