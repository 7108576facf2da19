package io.reactivecomm.spi.engine;

import java.util.List;

/**
 * A group as an engine knows it.
 *
 * @param id the same on all members; 0 is the world
 * @param generation how often it has been recovered
 * @param worldRanks the members' ranks in the world, in group order
 * @param rank this process's place among them, or {@link #NOT_A_MEMBER}
 * @param ancestors the groups that it was made of, by number: the one that it was made of itself first, without the world, and no more than
 *     {@link #MOST_ANCESTORS}
 * @param assembled the calls that this rank's program has
 */
public record EngineGroup(
        long id, int generation, List<Integer> worldRanks, int rank, List<Long> ancestors, AssembledCalls assembled) {

    /** The {@link #id()} of the group of all ranks. */
    public static final long WORLD = 0;

    /** The {@link #rank()} of one that only helps to open the group. */
    public static final int NOT_A_MEMBER = -1;

    /** The most {@link #ancestors()}: groups nest a few deep, and one that nests deeper is split from the world where the nearest are closed. */
    public static final int MOST_ANCESTORS = 16;

    /** One of whose program nothing is known. */
    public EngineGroup(long id, int generation, List<Integer> worldRanks, int rank) {
        this(id, generation, worldRanks, rank, List.of(), AssembledCalls.UNKNOWN);
    }

    /** {@return whether it is the group of all ranks} */
    public boolean isWorld() {
        return id == WORLD;
    }

    /** {@return whether this process is in the group} */
    public boolean isMember() {
        return rank != NOT_A_MEMBER;
    }
}
