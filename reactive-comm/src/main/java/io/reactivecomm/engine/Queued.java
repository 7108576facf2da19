package io.reactivecomm.engine;

/** What waits for the loop's next turn. */
sealed interface Queued permits Submission, RankDriver.Ended {

    /** {@return who is told if there is no next turn} */
    CallSink sink();
}
