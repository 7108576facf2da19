package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.link.Frame;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The answers of the other ranks about a call that has waited for long. A later round of questions knows what earlier
 * ones brought, until it has an answer of its own. Owned by the loop.
 */
final class Stall {

    private final Map<Integer, Frame.Status> known;
    private final Set<Integer> answered = new HashSet<>();
    private final long askedAt;
    private boolean said;

    /** @param before the round before, or null if this is the first */
    Stall(long askedAt, @Nullable Stall before) {
        this.askedAt = askedAt;
        this.known = before == null ? new TreeMap<>() : new TreeMap<>(before.known);
    }

    long askedAt() {
        return askedAt;
    }

    /** {@return whether a warning has said what the answers are} */
    boolean isSaid() {
        return said;
    }

    void said() {
        said = true;
    }

    void answered(int worldRank, Frame.Status status) {
        known.put(worldRank, status);
        answered.add(worldRank);
    }

    /** {@return whether the rank answered in this round} */
    boolean hasAnswerOf(int worldRank) {
        return answered.contains(worldRank);
    }

    /** {@return answers in this round} */
    int answers() {
        return answered.size();
    }

    /** {@return whether the rank ever answered} */
    boolean knows(int worldRank) {
        return known.containsKey(worldRank);
    }

    /** {@return whether the rank said last that it runs the call, or has ended it} */
    boolean hasIssued(int worldRank) {
        Frame.Status status = known.get(worldRank);
        return status != null
                && switch (status.state()) {
                    case RUNNING, ENDED -> true;
                    case ASSEMBLED, NOT_ISSUED -> false;
                };
    }

    /** {@return whether one of those ranks said that it had assembled the call, and not subscribed to it} */
    boolean hasAssembled(List<Integer> ranks) {
        return ranks.stream()
                .map(known::get)
                .anyMatch(status -> status != null && status.state() == Frame.Status.State.ASSEMBLED);
    }

    /** {@return what a rank began last in the group, for a sentence} */
    String latestOf(int worldRank) {
        Frame.Status status = known.get(worldRank);
        if (status == null) {
            return "rank " + worldRank + " does not answer";
        }
        String has = status.state() == Frame.Status.State.ASSEMBLED
                ? " has assembled " + status.issued() + " and not subscribed to it, and"
                : "";
        return "rank " + worldRank + has + " last issued " + (status.latest().isEmpty() ? "nothing" : status.latest());
    }
}
