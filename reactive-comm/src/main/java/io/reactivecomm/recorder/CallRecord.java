package io.reactivecomm.recorder;

import java.util.Objects;

/**
 * A call as one rank knows it. Two ranks have the same call if group and label are equal.
 *
 * @param kind what sort of call it is
 * @param group the group's number; 0 is the world
 * @param label the call in messages, such as {@code layer1.weight#2}
 * @param name the name under which the group counts it; empty by default
 * @param number its ticket, or its number among the messages of its source and destination; {@link #NONE} if it has none yet
 * @param step the step in which it is counted, or {@link #NONE}
 * @param what what was called, in words: operation, type, count, reduction
 * @param algorithm the schedule; empty where there is none, or where it is not known
 * @param site where it was assembled; empty unless call sites are kept
 * @param backend who performs it
 */
public record CallRecord(
        Kind kind,
        long group,
        String label,
        String name,
        long number,
        long step,
        String what,
        String algorithm,
        String site,
        String backend) {

    /** Where there is no number, or no step. */
    public static final long NONE = -1;

    public CallRecord {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(algorithm, "algorithm");
        Objects.requireNonNull(site, "site");
        Objects.requireNonNull(backend, "backend");
    }

    /** The sorts of calls. */
    public enum Kind {
        COLLECTIVE,
        MESSAGE,
        COMPOSITE
    }
}
