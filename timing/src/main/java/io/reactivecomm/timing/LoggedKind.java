package io.reactivecomm.timing;

/**
 * The kind of calls that are recorded together. Groups of one size share a kind: their calls cost alike, and a program may make many groups.
 *
 * @param operation such as {@code all-reduce}, a composite call's own word, or empty of a call that could not be made
 * @param byteSize as nccl-tests counts it
 * @param groupSize of the call's group, which decides what its links carry; 0 of the timing operators themselves
 * @param backend the engine, since not all know phases and their times are not alike; {@link #OFF} of operations that are switched off, which take
 *     no time; empty of composite calls
 * @param name of the calls, if the logger tells them apart by it; else empty
 * @param callSite where the program assembled them, if the logger tells them apart by it and knows; else empty
 * @param tag of the timing operator under which they were made; empty of calls that the logger hears of by their group
 */
public record LoggedKind(
        String operation, long byteSize, int groupSize, String backend, String name, String callSite, String tag)
        implements Comparable<LoggedKind> {

    /** The backend of calls that did nothing. */
    public static final String OFF = "off";

    /** The operation of the timing operators themselves. */
    public static final String TIMED = "timed";

    /** Calls that no operator times, at no place that is known. */
    public LoggedKind(String operation, long byteSize, int groupSize, String backend, String name) {
        this(operation, byteSize, groupSize, backend, name, "", "");
    }

    /** {@return the kind of what operators with a tag are subscribed to} */
    static LoggedKind timed(String tag) {
        return new LoggedKind(TIMED, 0, 0, "", "", "", tag);
    }

    /** {@return whether it is no kind of calls, but that of timing operators' subscriptions} */
    public boolean isTimed() {
        return groupSize == 0 && operation.equals(TIMED);
    }

    /** An operator's own row comes before those of the calls under it. */
    @Override
    public int compareTo(LoggedKind other) {
        int order = tag.compareTo(other.tag);
        order = order != 0 ? order : Boolean.compare(other.isTimed(), isTimed());
        order = order != 0 ? order : operation.compareTo(other.operation);
        order = order != 0 ? order : Long.compare(byteSize, other.byteSize);
        order = order != 0 ? order : Integer.compare(groupSize, other.groupSize);
        order = order != 0 ? order : backend.compareTo(other.backend);
        order = order != 0 ? order : name.compareTo(other.name);
        return order != 0 ? order : callSite.compareTo(other.callSite);
    }
}
