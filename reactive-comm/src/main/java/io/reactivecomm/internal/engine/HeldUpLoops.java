package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.PeerNews;
import java.util.Map;
import java.util.TreeMap;

/** Ranks that live and whose loops do not turn, as they say themselves. Owned by the loop. */
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

    /** A rank has left or is lost. */
    void forget(int rank) {
        ranks.remove(rank);
    }

    boolean has(int rank) {
        return ranks.containsKey(rank);
    }

    /** {@return a part of a sentence about those of a group, or nothing} */
    String among(GroupState group, long now) {
        StringBuilder text = new StringBuilder();
        ranks.keySet().stream().filter(rank -> group.groupRank(rank) >= 0).forEach(rank -> text.append(", ").append(of(rank, now)));
        return text.toString();
    }

    /** {@return a sentence about one, or nothing} */
    String of(int rank, long now) {
        HeldUp held = ranks.get(rank);
        return held == null ? "" : "rank " + rank + "'s loop has not turned for " + Failures.seconds(now - held.since) + ", it says: " + held.doing;
    }
}
