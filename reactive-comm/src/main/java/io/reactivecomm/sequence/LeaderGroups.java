package io.reactivecomm.sequence;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The groups that members have introduced to the leader, how they end, and who has left the world. Owned by the leader. */
final class LeaderGroups {

    private final int worldSize;
    private final int slots;
    private final Leader.Mail mail;
    private final Predicate<Notice.Ended> abandoned;
    private final Consumer<PendingCall> forget;
    private final Map<GroupKey, LeaderGroup> live = new LinkedHashMap<>();
    private final Map<GroupKey, LeaderGroup> ended = new Remembered<>();
    private final Map<Integer, Failure> gone = new HashMap<>();

    /**
     * @param abandoned takes the end of a group that fails; answers whether its members have been told so
     * @param forget takes calls that wait no more
     */
    LeaderGroups(
            int worldSize,
            int slots,
            Leader.Mail mail,
            Predicate<Notice.Ended> abandoned,
            Consumer<PendingCall> forget) {
        this.worldSize = worldSize;
        this.slots = slots;
        this.mail = mail;
        this.abandoned = abandoned;
        this.forget = forget;
    }

    /** Tells a rank, if it is there. */
    void send(int rank, Notice notice) {
        if (!gone.containsKey(rank)) {
            mail.send(rank, notice);
        }
    }

    /** {@return a group that has not ended, or null} */
    @Nullable LeaderGroup find(GroupKey group) {
        return live.get(group);
    }

    /**
     * {@return a group that the rank is in, or null if it has ended, perhaps long ago: the rank has been told, or will be when it introduces it}
     */
    @Nullable LeaderGroup find(int from, GroupKey group) {
        LeaderGroup roster = live.get(group);
        if (roster != null && !roster.members().contains(from)) {
            throw new ProtocolException("a rank spoke of a group that it is not in: rank=" + from + ", group=" + group);
        }
        return roster;
    }

    /** {@return the groups that have not ended} */
    Collection<LeaderGroup> all() {
        return live.values();
    }

    /** A member has introduced a group. */
    void introduced(int from, Notice.Introduced introduced) {
        GroupKey key = introduced.group();
        List<Integer> members = introduced.worldRanks();
        boolean exist = members.stream().allMatch(rank -> rank >= 0 && rank < worldSize);
        if (!exist || !members.contains(from) || new HashSet<>(members).size() != members.size()) {
            throw new ProtocolException("a rank introduced an impossible group: rank=" + from + ", members=" + members);
        }
        LeaderGroup over = ended.get(key);
        if (over != null) {
            mail.send(from, over.end());
            return;
        }
        LeaderGroup known = live.putIfAbsent(key, new LeaderGroup(introduced, slots));
        if (known != null && !known.members().equals(members)) {
            throw new ProtocolException(
                    "two groups have one number: group=" + key + ", ranks=" + known.members() + " and " + members);
        }
        for (int rank : members) {
            Failure cause = gone.get(rank);
            if (cause != null) {
                end(new Notice.Ended(key, cause, false));
            }
        }
    }

    /** Ends a group, or abandons one that had ended more gently. */
    void end(Notice.Ended end) {
        boolean told = end.abandoned() && abandoned.test(end);
        LeaderGroup current = live.remove(end.group());
        LeaderGroup roster = current == null ? ended.get(end.group()) : current;
        if (roster == null || (current == null && (roster.end().abandoned() || !end.abandoned()))) {
            return;
        }
        roster.pending().values().forEach(forget);
        roster.end(end);
        ended.put(end.group(), roster);
        if (!told) {
            roster.members().forEach(rank -> send(rank, end));
        }
    }

    boolean isGone(int rank) {
        return gone.containsKey(rank);
    }

    /** A rank has left, or cannot be reached: its groups end. {@return whether that is news} */
    boolean gone(int rank, Failure cause, boolean abandoned) {
        if (gone.putIfAbsent(rank, cause) != null) {
            return false;
        }
        for (LeaderGroup roster : List.copyOf(live.values())) {
            if (roster.members().contains(rank)) {
                end(new Notice.Ended(roster.group(), cause, abandoned));
            }
        }
        return true;
    }
}
