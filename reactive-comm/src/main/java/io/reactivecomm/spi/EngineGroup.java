package io.reactivecomm.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A group as an engine knows it.
 *
 * @param id the same on all members; 0 is the world
 * @param generation how often it has been recovered
 * @param worldRanks the members' ranks in the world, in group order
 * @param rank this process's place among them, or {@link #NOT_A_MEMBER}
 * @param assembled the calls that this rank's program has
 * @param parent the group that it was made of, if that is known; the world's own has none
 */
public record EngineGroup(
        long id, int generation, List<Integer> worldRanks, int rank, AssembledCalls assembled, @Nullable EngineGroup parent) {

    /** The {@link #id()} of the group of all ranks. */
    public static final long WORLD = 0;

    /** The {@link #rank()} of one that only helps to open the group. */
    public static final int NOT_A_MEMBER = -1;

    /** One of whose program nothing is known. */
    public EngineGroup(long id, int generation, List<Integer> worldRanks, int rank) {
        this(id, generation, worldRanks, rank, AssembledCalls.UNKNOWN, null);
    }

    /** {@return whether this process is in the group} */
    public boolean isMember() {
        return rank != NOT_A_MEMBER;
    }
}
