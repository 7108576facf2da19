package io.reactivecomm.testkit;

import reactor.blockhound.BlockHound;

/** Runs of the contracts with BlockHound, in which blocking on a loop fails. A JVM with the system property {@value #PROPERTY} makes such a run. */
final class BlockHoundRuns {

    private static final String PROPERTY = "tests.blockhound";

    private BlockHoundRuns() {}

    /** Installs BlockHound in such a run. Idempotent. */
    static void begin() {
        if (Boolean.getBoolean(PROPERTY)) {
            BlockHound.install();
        }
    }
}
