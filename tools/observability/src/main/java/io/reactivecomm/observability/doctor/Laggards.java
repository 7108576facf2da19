package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.EndedCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A rank that keeps the others waiting again and again, though all goes on: it comes last to most calls, and so spends the least time in them. No clocks are
 * compared.
 */
final class Laggards implements Symptom {

    private static final int FEWEST_CALLS = 5;
    private static final double MOST_OF_THEM = 0.6;
    private static final long WORTH_MICROS = 1_000;

    private static final class Lateness {

        private int times;
        private long micros;
    }

    @Override
    public List<Finding> find(Evidence evidence) {
        Map<CallId, TreeMap<Integer, EndedCall>> calls = new HashMap<>();
        for (RankHistory rank : evidence.ranks()) {
            for (EndedCall call : rank.dump().state().ended()) {
                if (call.call().kind() == CallRecord.Kind.COLLECTIVE && !call.hasFailed()) {
                    calls.computeIfAbsent(CallId.of(call.call()), ignored -> new TreeMap<>())
                            .put(rank.rank(), call);
                }
            }
        }
        TreeMap<Integer, Lateness> late = new TreeMap<>();
        int common = 0;
        for (TreeMap<Integer, EndedCall> each : calls.values()) {
            if (each.size() > 1) {
                common++;
                note(each, late);
            }
        }
        return judged(late, common);
    }

    private static void note(TreeMap<Integer, EndedCall> call, TreeMap<Integer, Lateness> late) {
        int last = call.firstKey();
        long shortest = Long.MAX_VALUE;
        long longest = 0;
        for (Map.Entry<Integer, EndedCall> each : call.entrySet()) {
            long took = each.getValue().tookMicros();
            longest = Math.max(longest, took);
            if (took < shortest) {
                shortest = took;
                last = each.getKey();
            }
        }
        Lateness lateness = late.computeIfAbsent(last, ignored -> new Lateness());
        lateness.times++;
        lateness.micros += longest - shortest;
    }

    private static List<Finding> judged(TreeMap<Integer, Lateness> late, int common) {
        List<Finding> found = new ArrayList<>();
        late.forEach((rank, lateness) -> {
            long mean = lateness.micros / lateness.times;
            if (common >= FEWEST_CALLS && lateness.times >= MOST_OF_THEM * common && mean >= WORTH_MICROS) {
                found.add(new Finding(
                        Disease.SLOW_RANK,
                        List.of(rank),
                        "",
                        "Nothing stands still, but rank " + rank + " came last to " + lateness.times + " of the last "
                                + common + " calls, and others waited for it for " + Words.seconds(mean)
                                + " on the mean"));
            }
        });
        return found;
    }
}
