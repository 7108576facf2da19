package io.reactivecomm.timing;

/**
 * The kind of calls that are recorded together. Groups of one size share a kind: their calls cost alike, and a program may make many groups.
 *
 * @param operation such as {@code all-reduce}, a composite call's own word, or empty of a call that could not be made
 * @param byteSize as nccl-tests counts it
 * @param groupSize of the call's group, which decides what its links carry
 * @param backend the engine, since not all know phases and their times are not alike; {@link #OFF} of operations that are switched off, which take
 *     no time; empty of composite calls
 * @param name of the calls, if the logger tells them apart by it; else empty
 */
public record LoggedKind(String operation, long byteSize, int groupSize, String backend, String name) implements Comparable<LoggedKind> {

    /** The backend of calls that did nothing. */
    public static final String OFF = "off";

    @Override
    public int compareTo(LoggedKind other) {
        int order = operation.compareTo(other.operation);
        order = order != 0 ? order : Long.compare(byteSize, other.byteSize);
        order = order != 0 ? order : Integer.compare(groupSize, other.groupSize);
        order = order != 0 ? order : backend.compareTo(other.backend);
        return order != 0 ? order : name.compareTo(other.name);
    }
}
