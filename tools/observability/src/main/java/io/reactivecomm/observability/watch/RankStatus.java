package io.reactivecomm.observability.watch;

import io.reactivecomm.recorder.RankReport;
import java.time.Duration;
import java.util.Optional;

/**
 * One rank of a job, as its watcher knows it.
 *
 * @param rank its place in the world
 * @param state whether it is there
 * @param since for how long it has been silent, or gone; of a rank that publishes, how old its report is
 * @param report what it told last, if that makes sense
 */
public record RankStatus(int rank, State state, Duration since, Optional<RankReport> report) {

    /** Whether a rank is there. */
    public enum State {
        /** It has not come to the job's store. */
        ABSENT,
        /** It is there, and has just been asked. */
        ASKED,
        /** It is there, and tells how it does. */
        PUBLISHING,
        /** Its connection to the store stands, and it tells nothing: it is stopped, or its loop is held. */
        SILENT,
        /** It has closed its connection to the store, and nobody calls it lost: it has left. */
        LEFT,
        /** Another rank has lost it. */
        LOST
    }
}
