package io.reactivecomm.spi;

import java.util.List;

/**
 * A group as an engine knows it.
 *
 * @param id the same on all members; 0 is the world
 * @param generation how often it has been recovered
 * @param worldRanks the members' ranks in the world, in group order
 * @param rank this process's place among them
 * @param assembled the calls that this rank's program has
 */
public record EngineGroup(long id, int generation, List<Integer> worldRanks, int rank, AssembledCalls assembled) {

    /** One of whose program nothing is known. */
    public EngineGroup(long id, int generation, List<Integer> worldRanks, int rank) {
        this(id, generation, worldRanks, rank, AssembledCalls.UNKNOWN);
    }
}
