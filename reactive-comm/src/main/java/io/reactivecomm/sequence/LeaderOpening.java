package io.reactivecomm.sequence;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A group that engines open, or have open, at the leader: from its opening's announcement to its freeing's. */
final class LeaderOpening {

    private final GroupKey group;
    /** The place in the order of what is under way, or was last. */
    private long number;

    private final List<Integer> members;
    private final @Nullable GroupKey from;
    /** The world ranks that have not done their part in the opening, or in the freeing. */
    private final Set<Integer> awaited;

    private final Set<Integer> closed = new HashSet<>();
    /** Calls that are ready on all members, in the order in which they became so. */
    private final Set<PendingCall> held = new LinkedHashSet<>();

    private boolean freeing;
    private @Nullable Failure departure;

    LeaderOpening(long number, GroupKey group, List<Integer> members, @Nullable GroupKey from, List<Integer> openers) {
        this.number = number;
        this.group = group;
        this.members = members;
        this.from = from;
        this.awaited = new LinkedHashSet<>(openers);
    }

    GroupKey group() {
        return group;
    }

    List<Integer> members() {
        return members;
    }

    Set<PendingCall> held() {
        return held;
    }

    boolean isOpen() {
        return !freeing && awaited.isEmpty();
    }

    /** {@return whether it is being split from a group} */
    boolean isSplitFrom(GroupKey other) {
        return !freeing && !awaited.isEmpty() && other.equals(from);
    }

    /** {@return whether others can be split from it: it is open, and all its members are there} */
    boolean canBeSplit() {
        return isOpen() && departure == null;
    }

    boolean isFreeing() {
        return freeing;
    }

    /** All members are to free it. */
    void free(long place) {
        number = place;
        freeing = true;
        awaited.addAll(members);
    }

    long number() {
        return number;
    }

    boolean isAwaited(int worldRank) {
        return awaited.contains(worldRank);
    }

    /** A rank has done its part. */
    void done(int worldRank) {
        awaited.remove(worldRank);
    }

    /** {@return whether all that take part in what is under way have done so} */
    boolean isDone() {
        return awaited.isEmpty();
    }

    /** {@return the ranks that have to do with it: the members, and those that still help them} */
    Set<Integer> concerned() {
        Set<Integer> all = new LinkedHashSet<>(members);
        all.addAll(awaited);
        return all;
    }

    /** A member will make no call of it any more. */
    void closed(int worldRank) {
        closed.add(worldRank);
    }

    Set<Integer> closed() {
        return closed;
    }

    boolean isClosed() {
        return closed.containsAll(members);
    }

    /** A member has left the world: the others cannot free it together any more. */
    void departed(int worldRank, Failure cause) {
        closed.add(worldRank);
        departure = departure == null ? cause : departure;
    }

    /** {@return why it cannot be freed in order, or null} */
    @Nullable Failure departure() {
        return departure;
    }

    /** {@return what its calls wait for, for a sentence} */
    String words() {
        return "all ranks are ready, and the group is being opened by the engine: not yet open on ranks "
                + new ArrayList<>(awaited).subList(0, Math.min(awaited.size(), NoticeLayout.MAX_TOLD));
    }
}
