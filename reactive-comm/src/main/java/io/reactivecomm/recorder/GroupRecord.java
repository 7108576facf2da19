package io.reactivecomm.recorder;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A group that this rank is or was a member of.
 *
 * @param id its number; 0 is the world
 * @param ranks the members' ranks in the world, in group order
 * @param left those of them that have closed it for themselves
 * @param isClosed whether this rank has closed it, or all that it had
 * @param failure why it has ended, or null
 * @param latest what this rank began last in it; empty if nothing
 */
public record GroupRecord(
        long id,
        int generation,
        List<Integer> ranks,
        List<Integer> left,
        boolean isClosed,
        @Nullable FailureRecord failure,
        String latest) {

    public GroupRecord {
        Objects.requireNonNull(latest, "latest");
        ranks = List.copyOf(ranks);
        left = List.copyOf(left);
    }
}
