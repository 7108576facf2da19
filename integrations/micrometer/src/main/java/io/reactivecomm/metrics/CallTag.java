package io.reactivecomm.metrics;

import io.reactivecomm.observe.ObservedCall;
import java.util.Locale;

/**
 * A tag that the meters of calls have only if asked for, beside the operation and the group: each multiplies how many meters there are, some without
 * end. Up to {@value CommMetrics#MOST_KINDS} combinations are told apart.
 */
public enum CallTag {
    /** The rank in the world: for programs that have several in one process. */
    RANK,
    /** How many ranks the group has. */
    GROUP_SIZE,
    /** The engine that performs the call. */
    BACKEND,
    /** The schedule that runs it. */
    ALGORITHM,
    /** The element type. */
    TYPE,
    /** The name under which the group counts the call: as many as the program gives. */
    NAME,
    /** The other rank of a message, in the group. */
    PEER;

    /** {@return the tag's key, such as {@code group.size}} */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /** {@return a call's value; {@link CommMetrics#NONE} of a call that has none} */
    String value(ObservedCall call) {
        return switch (this) {
            case RANK -> Integer.toString(call.rank());
            case GROUP_SIZE -> Integer.toString(call.groupSize());
            case BACKEND -> text(call.backend());
            case ALGORITHM -> text(call.algorithm());
            case TYPE -> text(call.type());
            case NAME -> text(call.name());
            case PEER -> call.peer() == ObservedCall.NO_PEER ? CommMetrics.NONE : Integer.toString(call.peer());
        };
    }

    /** {@return a tag's value for a text that may be empty: Micrometer's registries drop or refuse empty ones} */
    static String text(String text) {
        return text.isEmpty() ? CommMetrics.NONE : text;
    }
}
