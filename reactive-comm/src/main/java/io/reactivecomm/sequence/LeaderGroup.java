package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A group as the leader knows it, from when a member introduced it; what it knows of one that has ended is who to tell. */
final class LeaderGroup {

    private final GroupKey group;
    private final List<Integer> members;
    private final List<GroupKey> parents;
    private final RecentNames ring;
    private final Map<CallKey.Ticket, PendingCall> pending = new LinkedHashMap<>();
    private final Map<CallKey.Ticket, FailedCall> failed = new HashMap<>();
    private final Map<Integer, Notice.Ready> latest = new HashMap<>();
    private Notice.@Nullable Ended end;

    LeaderGroup(Notice.Introduced introduced, int slots) {
        this.group = introduced.group();
        this.members = introduced.worldRanks();
        this.parents = introduced.parents();
        this.ring = new RecentNames(group, slots);
    }

    /** {@return the groups that it was made of, the nearest first, without the world's} */
    List<GroupKey> parents() {
        return parents;
    }

    GroupKey group() {
        return group;
    }

    /** {@return the world ranks, in group order} */
    List<Integer> members() {
        return members;
    }

    RecentNames ring() {
        return ring;
    }

    /** {@return the calls that are neither announced nor failed} */
    Map<CallKey.Ticket, PendingCall> pending() {
        return pending;
    }

    /** {@return the calls that failed and that some member may still speak of} */
    Map<CallKey.Ticket, FailedCall> failed() {
        return failed;
    }

    /** A member makes no further call of a run: those of its failed calls that all have spoken of are forgotten. */
    void over(int worldRank, CallKey.Ticket run) {
        failed.entrySet().removeIf(call -> {
            Enclosure enclosure = call.getKey().enclosure();
            return enclosure != null && enclosure.isPartOf(run) && call.getValue().over(worldRank);
        });
    }

    /** The group has ended, and its calls with it. */
    void end(Notice.Ended how) {
        end = how;
        pending.clear();
        failed.clear();
        latest.clear();
    }

    /** {@return how the group ended} */
    Notice.Ended end() {
        return Objects.requireNonNull(end);
    }

    void issued(int worldRank, Notice.Ready ready) {
        latest.put(worldRank, ready);
    }

    /**
     * {@return what ranks issued last in the group, for a sentence}
     *
     * @param assembled those that have assembled what they are asked about
     */
    String latestOf(List<Integer> worldRanks, Set<Integer> assembled) {
        List<String> facts = new ArrayList<>();
        for (int rank : worldRanks.subList(0, Math.min(worldRanks.size(), NoticeLayout.MAX_TOLD))) {
            Notice.Ready ready = latest.get(rank);
            String has = assembled.contains(rank) ? " has assembled it and not subscribed to it, and" : "";
            facts.add("rank " + rank + has + " last issued " + (ready == null ? "nothing" : ready.words() + " " + ready.key().label()));
        }
        return String.join(", ", facts);
    }
}
