package io.reactivecomm.testkit;

import reactor.blockhound.BlockHound;

/** Runs of the contracts in which a call that blocks on a loop fails: those of a JVM that has the system property {@value #PROPERTY}. */
final class BlockHoundRuns {

    private static final String PROPERTY = "tests.blockhound";

    private BlockHoundRuns() {}

    /** Makes such calls fail from now on, in such a run. Idempotent. */
    static void begin() {
        if (Boolean.getBoolean(PROPERTY)) {
            BlockHound.install();
        }
    }
}
