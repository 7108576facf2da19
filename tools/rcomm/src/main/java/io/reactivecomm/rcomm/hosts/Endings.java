package io.reactivecomm.rcomm.hosts;

import org.jspecify.annotations.Nullable;

/** The ends of several things, each of which is tried whatever the others do; the first failure is kept, with those after it. */
final class Endings {

    private @Nullable RuntimeException first;

    /** Makes an account of ends without a failure so far. */
    Endings() {}

    /** Makes an account of ends that follow from a failure. */
    Endings(RuntimeException first) {
        this.first = first;
    }

    /** Tries one. */
    void attempt(Runnable end) {
        try {
            end.run();
        } catch (RuntimeException e) {
            if (first == null) {
                first = e;
            } else {
                first.addSuppressed(e);
            }
        }
    }

    /** Throws the first failure, if there was any. */
    void rethrow() {
        if (first != null) {
            throw first;
        }
    }
}
