package io.reactivecomm.engine;

import io.reactivecomm.spi.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the other ranks answered when they were asked about a call that had waited for long. Owned by the loop. */
final class Stall {

    private final Map<Integer, Frame.Status> answers = new TreeMap<>();
    private final long askedAt;
    private boolean said;

    Stall(long askedAt) {
        this.askedAt = askedAt;
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
        answers.put(worldRank, status);
    }

    boolean hasAnswerOf(int worldRank) {
        return answers.containsKey(worldRank);
    }

    int answers() {
        return answers.size();
    }

    /** {@return the world ranks that said they had not issued the call} */
    List<Integer> notIssued() {
        List<Integer> ranks = new ArrayList<>();
        answers.forEach((rank, status) -> {
            if (status.state() == Frame.Status.State.NOT_ISSUED) {
                ranks.add(rank);
            }
        });
        return ranks;
    }

    /** {@return what a rank began last in the group, for a sentence} */
    String latestOf(int worldRank) {
        Frame.Status status = answers.get(worldRank);
        if (status == null) {
            return "rank " + worldRank + " does not answer";
        }
        return "rank " + worldRank + " last issued " + (status.latest().isEmpty() ? "nothing" : status.latest());
    }
}
