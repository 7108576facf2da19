package io.reactivecomm.simulator;

/**
 * A fault of the whole world in a scenario, at most once.
 *
 * @param rank the world rank it befalls
 * @param other for {@link Kind#CUT} and {@link Kind#SILENCE} the world rank at the link's other end
 * @param team for {@link Kind#ABORT} the group
 * @param at when
 */
record WorldFault(Kind kind, int rank, int other, SimulatedGroup team, long at) {

    /** The kinds of trouble. */
    enum Kind {
        NONE,
        /** The rank's process ends at once. */
        CRASH,
        /** The rank leaves in good order. */
        LEAVE,
        /** The rank aborts a group. */
        ABORT,
        /** The link between two ranks that live on breaks. */
        CUT,
        /** Nothing gets through between two ranks any more; some time later each is told so. */
        SILENCE
    }

    /** {@return whether a rank is one of those that it befalls} */
    boolean has(int worldRank) {
        return worldRank == rank || worldRank == other;
    }

    /** {@return whether calls of a group may fail because of it} */
    boolean concerns(SimulatedGroup calls) {
        return switch (kind) {
            case NONE -> false;
            case CRASH, LEAVE -> calls.has(rank);
            case ABORT -> calls.equals(team);
            case CUT -> calls.has(rank) || calls.has(other);
            case SILENCE -> calls.has(rank) && calls.has(other);
        };
    }
}
