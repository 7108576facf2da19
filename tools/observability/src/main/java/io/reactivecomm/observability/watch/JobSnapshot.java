package io.reactivecomm.observability.watch;

import io.reactivecomm.recorder.RankReport;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A job at one moment, as its watcher knows it.
 *
 * @param at when it was put together, by the watcher's clock
 * @param worldSize ranks of the job; 0 while none has come, and where the job had gone before it was looked at
 * @param ranks all of them, in order
 * @param isOver whether this is the last one: the job's store has gone, and with it the job
 */
public record JobSnapshot(Instant at, int worldSize, List<RankStatus> ranks, boolean isOver) {

    public JobSnapshot {
        ranks = List.copyOf(ranks);
    }

    /** {@return the last one after this} */
    JobSnapshot over() {
        return new JobSnapshot(Instant.now(), worldSize, ranks, true);
    }

    /** {@return whether rates are known of all ranks that are there, but for those whose reports make no sense} */
    public boolean isComplete() {
        return worldSize > 0
                && ranks.stream().allMatch(rank -> switch (rank.state()) {
                    case PUBLISHING -> rank.report().map(RankReport::hasRates).orElse(true);
                    case ABSENT, ASKED -> false;
                    case SILENT, LEFT, LOST -> true;
                });
    }

    /** {@return why the world has failed, as the first rank that says so puts it} */
    public Optional<String> failure() {
        return ranks.stream()
                .flatMap(rank -> rank.report().stream())
                .map(RankReport::failure)
                .filter(text -> !text.isEmpty())
                .findFirst();
    }

    /** {@return whether its world has failed, or a rank of it is lost, as far as ranks have told} */
    public boolean hasFailed() {
        return failure().isPresent() || ranks.stream().anyMatch(rank -> rank.state() == RankStatus.State.LOST);
    }

    /** {@return calls that ranks wait in for others, the longest first} */
    public List<LateRanks> late() {
        return LateRanks.among(ranks);
    }

    /** {@return it as JSON, on one line} */
    public String toJson() {
        return SnapshotJson.of(this);
    }
}
