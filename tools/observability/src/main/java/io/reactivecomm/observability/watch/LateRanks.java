package io.reactivecomm.observability.watch;

import io.reactivecomm.observability.internal.MissingRanks;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.recorder.WaitingCall;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One call in which ranks wait for others that have not made it. Half a second of waiting is the least that counts.
 *
 * @param call the call, as reported by the rank that has waited longest
 * @param waiting world ranks that wait in it
 * @param late world ranks that have not made it, as far as those know
 */
public record LateRanks(WaitingCall call, List<Integer> waiting, List<Integer> late) {

    /** Ranks of a healthy job come one after the other, too: shorter waits end without a cause. */
    private static final Duration LEAST = Duration.ofMillis(500);

    private static final Comparator<WaitingCall> BY_WAITING = Comparator.comparing(LateRanks::sinceOf);

    public LateRanks {
        waiting = List.copyOf(waiting);
        late = List.copyOf(late);
    }

    /** The same call on several ranks. */
    private record Identity(long group, String label) {}

    private static Duration sinceOf(WaitingCall call) {
        return call.since().orElse(Duration.ZERO);
    }

    static List<LateRanks> among(List<RankStatus> ranks) {
        MissingRanks<Identity> missing = new MissingRanks<>();
        Map<Identity, WaitingCall> longest = new LinkedHashMap<>();
        for (RankStatus rank : ranks) {
            if (rank.state() == RankStatus.State.PUBLISHING) {
                for (WaitingCall call : rank.report().map(RankReport::oldest).orElse(List.of())) {
                    Identity identity = new Identity(call.group(), call.label());
                    missing.add(identity, rank.rank(), call.waitsFor());
                    longest.merge(identity, call, (one, other) -> BY_WAITING.compare(other, one) > 0 ? other : one);
                }
            }
        }
        return longest.entrySet().stream()
                .filter(each -> sinceOf(each.getValue()).compareTo(LEAST) >= 0)
                .map(each -> new LateRanks(each.getValue(), missing.makers(each.getKey()), missing.of(each.getKey())))
                .filter(each -> !each.late().isEmpty())
                .sorted(Comparator.comparing(LateRanks::call, BY_WAITING.reversed()))
                .toList();
    }
}
