package io.reactivecomm.engine;

import java.time.Duration;

/**
 * What a view of a group says of its calls.
 *
 * @param name under which they are counted
 * @param deadline when they fail, counted from their subscription
 * @param algorithm which one they are to run, or empty
 */
record CallOptions(String name, Duration deadline, String algorithm) {

    CallOptions withName(String other) {
        return new CallOptions(other, deadline, algorithm);
    }

    CallOptions withDeadline(Duration other) {
        return new CallOptions(name, other, algorithm);
    }

    CallOptions withAlgorithm(String other) {
        return new CallOptions(name, deadline, other);
    }
}
