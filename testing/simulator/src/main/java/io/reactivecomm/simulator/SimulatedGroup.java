package io.reactivecomm.simulator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A group of a scenario.
 *
 * @param worldRanks the members in group order
 * @param parent the group that it is made of, or null if it is there from the beginning
 * @param parting how its members leave it
 * @param early the world rank that leaves first, where one does
 * @param earlyAfter how long after that rank has the group
 */
record SimulatedGroup(
        long id,
        List<Integer> worldRanks,
        @Nullable SimulatedGroup parent,
        Parting parting,
        int early,
        long earlyAfter) {

    /** The way in which members leave a group before they leave the world. */
    enum Parting {
        /** Nobody does. */
        STAY,
        /** Each does once its calls have ended. */
        AFTER_CALLS,
        /** So do all but one, which goes at any time. */
        EARLY
    }

    /** There from the beginning. */
    SimulatedGroup(long id, List<Integer> worldRanks) {
        this(id, worldRanks, null, Parting.STAY, -1, 0);
    }

    int size() {
        return worldRanks.size();
    }

    boolean has(int worldRank) {
        return worldRanks.contains(worldRank);
    }

    @Override
    public String toString() {
        SimulatedGroup of = parent;
        return id
                + worldRanks.toString()
                + (of == null ? "" : " of " + of.id())
                + (parting == Parting.STAY ? "" : " " + parting)
                + (parting == Parting.EARLY ? " rank " + early + " after " + earlyAfter : "");
    }
}
