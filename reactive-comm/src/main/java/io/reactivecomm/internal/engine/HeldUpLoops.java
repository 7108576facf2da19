package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.link.PeerNews;
import java.util.Map;
import java.util.TreeMap;

/** Ranks that have reported that their own loops do not turn. Owned by the loop. */
final class HeldUpLoops {

    private record HeldUp(long since, String doing) {}

    private final Map<Integer, HeldUp> ranks = new TreeMap<>();

    void take(PeerNews.HeldUp news, long now) {
        if (news.nanos() > 0) {
            ranks.put(news.rank(), new HeldUp(now - news.nanos(), news.doing()));
        } else {
            ranks.remove(news.rank());
        }
    }

    /** Forgets a rank that has left or is lost. */
    void forget(int rank) {
        ranks.remove(rank);
    }

    boolean has(int rank) {
        return ranks.containsKey(rank);
    }

    /** {@return a part of an error's text about the held-up ranks of a group, or an empty text} */
    String among(GroupState group, long now) {
        StringBuilder text = new StringBuilder();
        ranks.keySet().stream()
                .filter(rank -> group.groupRank(rank) >= 0)
                .forEach(rank -> text.append(", ").append(of(rank, now)));
        return text.toString();
    }

    /** {@return a part of an error's text about one rank, or an empty text} */
    String of(int rank, long now) {
        HeldUp held = ranks.get(rank);
        return held == null
                ? ""
                : "rank " + rank + "'s loop has not turned for " + Failures.seconds(now - held.since) + ", it says: "
                        + held.doing;
    }
}
