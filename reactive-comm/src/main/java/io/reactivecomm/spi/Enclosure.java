package io.reactivecomm.spi;

import org.jspecify.annotations.Nullable;

/**
 * The run of a composite call that another call was made in: it is part of that call's identity.
 *
 * <p>Two are equal if they are the same run. What the ranks say that it is only tells those apart that call different things by one identity.
 *
 * @param run the identity of the run; it may be enclosed in turn
 * @param operation a hash of the composite's operation
 * @param words the operation itself; empty where only its hash is known
 */
public record Enclosure(CallKey.Ticket run, long operation, String words) {

    /** One that a peer told of over a link. */
    public Enclosure(CallKey.Ticket run, long operation) {
        this(run, operation, "");
    }

    /** How many composites may stand in one another. */
    public static final int MOST_DEEP = 16;

    /** The odd number next to 2^32 over the golden ratio: its multiples fall far from each other. */
    private static final int GOLDEN_RATIO = 0x9E3779B9;

    /** {@return the run that this one is in, or null} */
    public @Nullable Enclosure outer() {
        return run.enclosure();
    }

    /** {@return how many composites the enclosed call is in} */
    public int depth() {
        int depth = 1;
        for (Enclosure each = outer(); each != null; each = each.outer()) {
            depth++;
        }
        return depth;
    }

    /** {@return whether the enclosed call is in that run, however deep} */
    public boolean isPartOf(CallKey.Ticket other) {
        for (Enclosure each = this; each != null; each = each.outer()) {
            if (each.run.equals(other)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the outermost run of a group's composites that the enclosed call is in, or null} */
    public CallKey.@Nullable Ticket runOf(long group) {
        CallKey.Ticket found = null;
        for (Enclosure each = this; each != null; each = each.outer()) {
            if (each.run.group() == group) {
                found = each.run;
            }
        }
        return found;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Enclosure enclosure && enclosure.run.equals(run);
    }

    /** Spread: the n-th run of a call has the n-th runs of others in it, and the sums of their numbers fell upon each other. */
    @Override
    public int hashCode() {
        int spread = run.hashCode() * GOLDEN_RATIO;
        return spread ^ (spread >>> Short.SIZE);
    }
}
