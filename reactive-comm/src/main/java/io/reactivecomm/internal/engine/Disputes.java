package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.internal.transfer.EngineLimits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The disagreements that this rank, as a group's first, is collecting: it asks every member what it called, and once all have answered says to all who called
 * what.
 *
 * <p>A member answers as soon as its loop turns, which in a JVM that has just begun may take a second. So it is waited for until it has answered, or is known
 * to be unable to: it has left, is lost, or says that its loop is held up. All this takes two seconds at most ({@link EngineLimits#disputeNanos}). Owned by the
 * loop.
 */
final class Disputes {

    private static final String NOT_ISSUED = "has not issued it";
    private static final String NO_ANSWER = "did not answer";

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

    /** This rank sees that ranks differ under an identity: the group's first rank is told, and finds out who called what. */
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

    /** A peer saw a difference, and this rank is the group's first. */
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
        boolean isNew = open.putIfAbsent(key, new Dispute(group, now + calls.limits().disputeNanos())) == null;
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
            dispute.called.put(worldRank, called.isEmpty() ? NOT_ISSUED : "called " + called);
        }
    }

    long next() {
        return open.isEmpty() ? Deadlines.NEVER : open.values().iterator().next().dueAt;
    }

    /** {@return a verdict for the rank whose call fails with it: what it has called itself it knows, whenever it was asked} */
    static Failure withOwn(Failure verdict, int rank, CallKey key, Supplier<String> called) {
        boolean isOfCall = verdict.kind() == Failure.Kind.MISMATCH && verdict.text().contains(identity(key));
        if (!isOfCall) {
            return verdict;
        }
        String own = ", rank " + rank + " ";
        String answer = own + "called " + called.get();
        return verdict.withText(verdict.text().replace(own + NO_ANSWER, answer).replace(own + NOT_ISSUED, answer));
    }

    private static String identity(CallKey key) {
        return "ranks issued different calls under one identity: call=" + key.label() + ", ";
    }

    /** Gives the verdict on disputes that are due or answered by all who can. */
    void settle(long now) {
        for (CallKey key : List.copyOf(open.keySet())) {
            Dispute dispute = open.get(key);
            if (dispute != null && (dispute.dueAt <= now || isAnswered(dispute))) {
                open.remove(key);
                settle(dispute.group, key, verdict(key, dispute));
            }
        }
    }

    private boolean isAnswered(Dispute dispute) {
        for (int rank : dispute.group.worldRanks()) {
            boolean canAnswer = rank != world.rank() && world.peer(rank).isUp() && !world.heldUp().has(rank);
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

    private static Failure verdict(CallKey key, Dispute dispute) {
        List<String> who = new ArrayList<>();
        for (int rank : dispute.group.worldRanks()) {
            who.add("rank " + rank + " " + dispute.called.getOrDefault(rank, NO_ANSWER));
        }
        return new Failure(Failure.Kind.MISMATCH, culprit(dispute), identity(key) + String.join(", ", who) + "; let all ranks make the same calls in the same order, with the same algorithms and bits, or name the calls");
    }

    /** {@return the first rank that called something else than the first rank that called anything} */
    private static int culprit(Dispute dispute) {
        String first = dispute.called.values().iterator().next();
        for (Map.Entry<Integer, String> each : dispute.called.entrySet()) {
            if (!each.getValue().equals(first)) {
                return each.getKey();
            }
        }
        return dispute.group.worldRanks().getFirst();
    }
}
