package io.reactivecomm.spi;

import java.util.List;

/**
 * A group as an engine knows it.
 *
 * @param id the same on all members; 0 is the world
 * @param generation how often it has been recovered
 * @param worldRanks the members' ranks in the world, in group order
 * @param rank this process's place among them
 * @param ancestors the groups that it was made of, by number: the one that it was made of itself first, the world last; none for the world
 * @param assembled the calls that this rank's program has
 */
public record EngineGroup(long id, int generation, List<Integer> worldRanks, int rank, List<Long> ancestors, AssembledCalls assembled) {

    /** The {@link #id()} of the group of all ranks. */
    public static final long WORLD = 0;

    /** One that was made of the world, if it is not that itself. */
    public EngineGroup(long id, int generation, List<Integer> worldRanks, int rank, AssembledCalls assembled) {
        this(id, generation, worldRanks, rank, id == WORLD ? List.of() : List.of(WORLD), assembled);
    }

    /** One of whose program nothing is known. */
    public EngineGroup(long id, int generation, List<Integer> worldRanks, int rank) {
        this(id, generation, worldRanks, rank, AssembledCalls.UNKNOWN);
    }

    /** {@return whether it is the group of all ranks} */
    public boolean isWorld() {
        return id == WORLD;
    }
}
