package io.reactivecomm.spi;

import java.util.List;

/**
 * The opening of a group's communicator, in which some ranks take part together.
 *
 * @param id of the group; the same on all ranks
 * @param generation of the group
 * @param members the world ranks of the group, in group order
 * @param from the number of the group whose ranks take part, those that are no members too, and whose communicator is open; {@link #ALONE} if the
 *     members take part alone
 */
public record GroupOpening(long id, int generation, List<Integer> members, long from) {

    /** The {@link #from()} of a group that its members form alone. */
    public static final long ALONE = Long.MIN_VALUE;

    public GroupOpening {
        members = List.copyOf(members);
    }

    /** {@return whether its members form it alone} */
    public boolean isAlone() {
        return from == ALONE;
    }

    /** {@return whether a rank will be in the group} */
    public boolean includes(int worldRank) {
        return members.contains(worldRank);
    }
}
