package io.reactivecomm.sequence;

import io.reactivecomm.spi.engine.EngineGroup;
import org.jspecify.annotations.Nullable;

/** A group that this rank's engine opens, or has open. */
final class GroupOpening {

    private final int rank;
    private final EngineGroup group;
    private final @Nullable EngineGroup from;
    /** The place in the order of what is under way, or was last. */
    private long number;

    private boolean open;
    private boolean closed;

    /** @param rank that takes part */
    GroupOpening(int rank, long number, EngineGroup group, @Nullable EngineGroup from) {
        this.rank = rank;
        this.number = number;
        this.group = group;
        this.from = from;
    }

    /** {@return this rank in the world, which may be no member} */
    int rank() {
        return rank;
    }

    EngineGroup group() {
        return group;
    }

    /** {@return the group that it is split from, or null} */
    @Nullable EngineGroup from() {
        return from;
    }

    long number() {
        return number;
    }

    /** Its freeing has its turn. */
    void free(long place) {
        number = place;
    }

    boolean isOpen() {
        return open;
    }

    void opened() {
        open = true;
    }

    /** {@return whether this rank has closed it, and told the leader} */
    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
    }
}
