package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Mismatched calls that the first rank of a group resolves. It asks every member which call it made, and sends the collected answers to all members.
 *
 * <p>A member answers when its loop turns, which may take a second in a JVM that has just started. The first rank waits until each member has answered, has
 * left, is lost, or has reported that its loop is held up. It waits for two seconds at most ({@link EngineLimits#disputeNanos}). Owned by the loop.
 */
final class Disputes {

    private final World world;
    private final Calls calls;
    private final Composites composites;
    private final ForeignCalls foreign;
    private final Map<CallKey, Dispute> open = new LinkedHashMap<>();

    private static final class Dispute {

        private final GroupState group;
        private final long dueAt;
        private final Map<Integer, String> called = new TreeMap<>();

        private Dispute(GroupState group, long dueAt) {
            this.group = group;
            this.dueAt = dueAt;
        }
    }

    Disputes(World world, Calls calls, Composites composites, ForeignCalls foreign) {
        this.world = world;
        this.calls = calls;
        this.composites = composites;
        this.foreign = foreign;
    }

    /** Reports a mismatch that this rank has seen to the group's first rank, which collects all members' calls. */
    void report(GroupState group, CallKey key) {
        Peer first = firstReachable(group);
        if (first == null) {
            collect(group, key, calls.now());
        } else {
            first.tell(new Frame.Dispute(key));
        }
    }

    /** {@return the first member that can still be reached, or null if that is this rank} */
    private @Nullable Peer firstReachable(GroupState group) {
        for (int member : group.worldRanks()) {
            if (member == world.rank()) {
                return null;
            }
            if (world.peer(member).isUp()) {
                return world.peer(member);
            }
        }
        return null;
    }

    /** Takes a peer's report of a mismatch, as the group's first rank. */
    void reported(Peer peer, CallKey key, long now) {
        Failure settled = calls.tombstones().find(key);
        GroupState group = world.group(key.group());
        if (settled != null) {
            composites.tell(peer, key, settled);
        } else if (group != null) {
            collect(group, key, now);
        }
    }

    private void collect(GroupState group, CallKey key, long now) {
        boolean isNew =
                open.putIfAbsent(key, new Dispute(group, now + calls.limits().disputeNanos())) == null;
        if (isNew) {
            String running = composites.running(key);
            answered(key, world.rank(), running.isEmpty() ? calls.recorder().describe(key) : running);
            world.tell(group, new Frame.Query(key, true));
        }
    }

    /** Takes a member's answer; an empty one says that it has not issued the call. */
    void answered(CallKey key, int worldRank, String called) {
        Dispute dispute = open.get(key);
        if (dispute != null) {
            dispute.called.put(worldRank, Verdict.answer(called));
        }
    }

    long next() {
        return open.isEmpty() ? Deadlines.NEVER : open.values().iterator().next().dueAt;
    }

    /** Settles the mismatches that are due, or to which all reachable members have answered. */
    void settle(long now) {
        for (CallKey key : List.copyOf(open.keySet())) {
            Dispute dispute = open.get(key);
            if (dispute != null && (dispute.dueAt <= now || isAnswered(dispute))) {
                open.remove(key);
                settle(dispute.group, key, Verdict.of(key, dispute.group.worldRanks(), dispute.called));
            }
        }
    }

    private boolean isAnswered(Dispute dispute) {
        for (int rank : dispute.group.worldRanks()) {
            boolean canAnswer = rank != world.rank()
                    && world.peer(rank).isUp()
                    && !world.heldUp().has(rank);
            if (canAnswer && !dispute.called.containsKey(rank)) {
                return false;
            }
        }
        return true;
    }

    private void settle(GroupState group, CallKey key, Failure verdict) {
        Failure known = calls.tombstones().find(key);
        if (world.group(key.group()) == null) {
            return;
        }
        if (known != null) {
            // A composite failed with the one that it is in: who made something else in its place still waits.
            composites.tell(group, key, known);
            return;
        }
        calls.tombstones().put(key, verdict);
        world.tell(group, new Frame.Abort(key, verdict));
        world.forgetOpenings(key);
        Call own = calls.find(key);
        if (own != null) {
            calls.failed(own, verdict);
        }
        foreign.failed(key, verdict);
        composites.failed(key, verdict);
    }

    /** All ranks have heard a verdict. */
    void forget(CallKey key) {
        open.remove(key);
    }
}
