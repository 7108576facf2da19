package io.reactivecomm.internal.group;

import io.reactivecomm.internal.observe.Observers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options that a view of a group gives its calls.
 *
 * @param name under which they are counted
 * @param deadline when they fail, counted from their subscription
 * @param algorithm which one they are to run, or empty
 * @param priority those of a greater one go first
 * @param site where in the program they come from, or {@link CallSite#NONE} for wherever each is assembled
 * @param isEnqueued whether they end when they are enqueued on a device
 * @param observers who hears of them beside those of the group, or null
 */
record CallOptions(
        String name, Duration deadline, String algorithm, int priority, String site, boolean isEnqueued, @Nullable Observers observers) {

    CallOptions(String name, Duration deadline) {
        this(name, deadline, "", 0, CallSite.NONE, false, null);
    }

    CallOptions withName(String other) {
        return new CallOptions(other, deadline, algorithm, priority, site, isEnqueued, observers);
    }

    CallOptions withDeadline(Duration other) {
        return new CallOptions(name, other, algorithm, priority, site, isEnqueued, observers);
    }

    CallOptions withAlgorithm(String other) {
        return new CallOptions(name, deadline, other, priority, site, isEnqueued, observers);
    }

    CallOptions withPriority(int other) {
        return new CallOptions(name, deadline, algorithm, other, site, isEnqueued, observers);
    }

    CallOptions withSite(String other) {
        return new CallOptions(name, deadline, algorithm, priority, other, isEnqueued, observers);
    }

    CallOptions withEnqueued(boolean other) {
        return new CallOptions(name, deadline, algorithm, priority, site, other, observers);
    }

    CallOptions withObservers(@Nullable Observers other) {
        return new CallOptions(name, deadline, algorithm, priority, site, isEnqueued, other);
    }

    /** {@return those of the calls that an operation is made of, which needs their results and chooses how they are done} */
    CallOptions ofParts() {
        return new CallOptions(name, deadline, "", priority, site, false, observers);
    }
}
