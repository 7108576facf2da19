package io.reactivecomm.engine;

import java.time.Duration;

/**
 * What a view of a group says of its calls.
 *
 * @param name under which they are counted
 * @param deadline when they fail, counted from their subscription
 * @param algorithm which one they are to run, or empty
 * @param priority those of a greater one go first
 */
record CallOptions(String name, Duration deadline, String algorithm, int priority) {

    CallOptions(String name, Duration deadline) {
        this(name, deadline, "", 0);
    }


    CallOptions withName(String other) {
        return new CallOptions(other, deadline, algorithm, priority);
    }

    CallOptions withDeadline(Duration other) {
        return new CallOptions(name, other, algorithm, priority);
    }

    CallOptions withAlgorithm(String other) {
        return new CallOptions(name, deadline, other, priority);
    }

    CallOptions withPriority(int other) {
        return new CallOptions(name, deadline, algorithm, other);
    }
}
