package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The disagreements that this rank, as a group's first, is collecting: it asks every member what it called, and after all have answered
 * or the time is up says to all who called what. Owned by the loop.
 */
final class Disputes {

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

    /** {@return whether the dispute is new, so that the members are to be asked} */
    boolean begin(CallKey key, GroupState group, long dueAt) {
        return open.putIfAbsent(key, new Dispute(group, dueAt)) == null;
    }

    /** Takes a member's answer; an empty one says that it has not issued the call. */
    void answered(CallKey key, int worldRank, String called) {
        Dispute dispute = open.get(key);
        if (dispute != null) {
            dispute.called.put(worldRank, called.isEmpty() ? "has not issued it" : "called " + called);
        }
    }

    long next() {
        return open.isEmpty() ? Deadlines.NEVER : open.values().iterator().next().dueAt;
    }

    /** {@return the disputes that are due or fully answered, each ended with its verdict} */
    Map<CallKey, Failure> settled(long now) {
        Map<CallKey, Failure> verdicts = new LinkedHashMap<>();
        for (CallKey key : List.copyOf(open.keySet())) {
            Dispute dispute = open.get(key);
            if (dispute != null && (dispute.dueAt <= now || dispute.called.size() == dispute.group.size())) {
                open.remove(key);
                verdicts.put(key, verdict(key, dispute));
            }
        }
        return verdicts;
    }

    void forget(CallKey key) {
        open.remove(key);
    }

    private static Failure verdict(CallKey key, Dispute dispute) {
        List<String> who = new ArrayList<>();
        for (int rank : dispute.group.worldRanks()) {
            who.add("rank " + rank + " " + dispute.called.getOrDefault(rank, "did not answer"));
        }
        return new Failure(Failure.Kind.MISMATCH, culprit(dispute), "ranks issued different calls under one identity: call=" + key.label() + ", "
                + String.join(", ", who) + "; let all ranks make the same calls in the same order, or name the calls");
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
