package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.HashMap;
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
    private final LeaderMessages messages;
    private final CallsByLine<PendingCall> pending = new CallsByLine<>();
    private final CallsByLine<FailedCall> failed = new CallsByLine<>();
    private final Map<Integer, Notice.Ready> latest = new HashMap<>();
    private Notice.@Nullable Ended end;

    LeaderGroup(Notice.Introduced introduced, int slots) {
        this.group = introduced.group();
        this.members = introduced.worldRanks();
        this.parents = introduced.parents();
        this.messages = new LeaderMessages(members);
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

    /** {@return the world ranks whose call it is; of a receive from any that has found no message its own} */
    List<Integer> membersOf(CallKey key) {
        return switch (key) {
            case CallKey.Ticket ignored -> members;
            case CallKey.Message message ->
                message.source() < 0
                        ? List.of(members.get(message.destination()))
                        : List.of(members.get(message.source()), members.get(message.destination()));
        };
    }

    /** {@return the world rank of a message's receiver} */
    int receiverOf(CallKey key) {
        return members.get(((CallKey.Message) key).destination());
    }

    /** {@return whether a receive names a message's source and has its number, or had until it failed} */
    boolean isAwaited(CallKey key) {
        if (!(key instanceof CallKey.Message message) || message.source() < 0) {
            return false;
        }
        PendingCall waiting = pending.get(key);
        FailedCall over = failed.get(key);
        int receiver = receiverOf(key);
        return waiting != null && !waiting.lacks(receiver) || over != null && !over.awaits(receiver);
    }

    /** {@return the message that a receive from any finds, or null: what is ready comes before what has failed, and each sender's in turn} */
    CallKey.@Nullable Message waitingFor(CallKey.Message any) {
        int receiver = receiverOf(any);
        for (Map.Entry<CallKey.Message, PendingCall> each :
                pending.inLineOf(any).entrySet()) {
            if (each.getValue().lacks(receiver)) {
                return first(any, each.getKey(), receiver);
            }
        }
        for (Map.Entry<CallKey.Message, FailedCall> each : failed.inLineOf(any).entrySet()) {
            if (each.getValue().awaits(receiver)) {
                return first(any, each.getKey(), receiver);
            }
        }
        return null;
    }

    /** {@return the first message of the same sender, which may have failed} */
    private CallKey.Message first(CallKey.Message any, CallKey.Message message, int receiver) {
        CallKey.Message first = message;
        for (Map.Entry<CallKey.Message, FailedCall> each : failed.inLineOf(any).entrySet()) {
            CallKey.Message other = each.getKey();
            if (other.source() == message.source()
                    && other.number() < first.number()
                    && each.getValue().awaits(receiver)) {
                first = other;
            }
        }
        return first;
    }

    /** {@return the receives from any of the group} */
    LeaderMessages messages() {
        return messages;
    }

    RecentNames ring() {
        return ring;
    }

    /** {@return the calls that are neither announced nor failed} */
    CallsByLine<PendingCall> pending() {
        return pending;
    }

    /** {@return the call that ranks gather for} */
    PendingCall gather(CallKey key) {
        if (!pending.contains(key)) {
            pending.put(key, new PendingCall(key, this));
        }
        return Objects.requireNonNull(pending.get(key));
    }

    /** {@return the calls that failed and that some member may still speak of} */
    CallsByLine<FailedCall> failed() {
        return failed;
    }

    /** A member makes no further call of a run: those of its failed calls that all have spoken of are forgotten. */
    void over(int worldRank, CallKey.Ticket run) {
        failed.removeIf(call -> {
            Enclosure enclosure = call.getKey().enclosure();
            return enclosure != null
                    && enclosure.isPartOf(run)
                    && call.getValue().over(worldRank);
        });
    }

    /** The group has ended, and its calls with it. */
    void end(Notice.Ended how) {
        end = how;
        pending.clear();
        failed.clear();
        messages.clear();
        latest.clear();
    }

    /** {@return how the group ended} */
    Notice.Ended end() {
        return Objects.requireNonNull(end);
    }

    void issued(int worldRank, Notice.Ready ready) {
        latest.put(worldRank, ready);
    }

    /** {@return a part of a text about calls of the group in which missing ranks wait and that the rank which asks has not issued; may be empty} */
    String otherCalls(List<Integer> missing, int asker) {
        StringBuilder text = new StringBuilder();
        for (int rank : missing.subList(0, Math.min(missing.size(), NoticeLayout.MAX_TOLD))) {
            List<CallKey> keys = pending.values().stream()
                    .filter(call ->
                            call.key() instanceof CallKey.Ticket && call.said().containsKey(rank) && call.lacks(asker))
                    .map(PendingCall::key)
                    .toList();
            if (!keys.isEmpty()) {
                text.append(", rank ")
                        .append(rank)
                        .append(" waits in ")
                        .append(keys.size())
                        .append(keys.size() == 1 ? " other call" : " other calls");
                text.append(" of this group, the first is ")
                        .append(keys.getFirst().label());
            }
        }
        return text.toString();
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
            facts.add("rank " + rank + has + " last issued "
                    + (ready == null
                            ? "nothing"
                            : ready.words() + " " + ready.key().label()));
        }
        return String.join(", ", facts);
    }
}
