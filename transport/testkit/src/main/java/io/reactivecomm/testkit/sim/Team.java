package io.reactivecomm.testkit.sim;

import java.util.List;

/**
 * A group of a scenario.
 *
 * @param worldRanks the members in group order
 */
record Team(long id, List<Integer> worldRanks) {

    int size() {
        return worldRanks.size();
    }

    boolean has(int worldRank) {
        return worldRanks.contains(worldRank);
    }
}
