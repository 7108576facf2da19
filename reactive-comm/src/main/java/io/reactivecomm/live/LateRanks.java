package io.reactivecomm.live;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * One call in which ranks wait for others that have not made it.
 *
 * <p>A rank knows only of those that it exchanges something with, which may wait for others in turn. So who is said to be late by one rank and waits in the
 * same call itself is not late; nor is anybody for whom nobody has waited for half a second.
 *
 * @param call the call, as the rank tells it that has waited longest
 * @param waiting world ranks that wait in it
 * @param late world ranks that have not made it, as far as those know
 */
public record LateRanks(WaitingCall call, List<Integer> waiting, List<Integer> late) {

    /** Ranks of a healthy job come one after the other, too: whoever waits for less has met others on the way. */
    private static final Duration LEAST = Duration.ofMillis(500);

    private static final Comparator<LateRanks> LONGEST_FIRST =
            Comparator.comparing((LateRanks each) -> sinceOf(each.call)).reversed();

    public LateRanks {
        waiting = List.copyOf(waiting);
        late = List.copyOf(late);
    }

    /** The same call on several ranks. */
    private record Identity(long group, String label) {}

    private static final class Gathered {

        private final TreeSet<Integer> waiting = new TreeSet<>();
        private final TreeSet<Integer> late = new TreeSet<>();
        private WaitingCall longest;

        Gathered(WaitingCall first) {
            longest = first;
        }

        void add(int rank, WaitingCall call) {
            waiting.add(rank);
            late.addAll(call.waitsFor());
            if (sinceOf(call).compareTo(sinceOf(longest)) > 0) {
                longest = call;
            }
        }

        LateRanks result() {
            late.removeAll(waiting);
            return new LateRanks(longest, List.copyOf(waiting), List.copyOf(late));
        }
    }

    private static Duration sinceOf(WaitingCall call) {
        return call.since().orElse(Duration.ZERO);
    }

    private boolean isWorthSaying() {
        return !late.isEmpty() && sinceOf(call).compareTo(LEAST) >= 0;
    }

    static List<LateRanks> among(List<RankStatus> ranks) {
        Map<Identity, Gathered> calls = new LinkedHashMap<>();
        for (RankStatus rank : ranks) {
            if (rank.state() == RankStatus.State.PUBLISHING) {
                for (WaitingCall call : rank.report().map(RankReport::oldest).orElse(List.of())) {
                    calls.computeIfAbsent(new Identity(call.group(), call.label()), ignored -> new Gathered(call))
                            .add(rank.rank(), call);
                }
            }
        }
        List<LateRanks> late = new ArrayList<>();
        calls.values().stream()
                .map(Gathered::result)
                .filter(LateRanks::isWorthSaying)
                .sorted(LONGEST_FIRST)
                .forEach(late::add);
        return late;
    }
}
