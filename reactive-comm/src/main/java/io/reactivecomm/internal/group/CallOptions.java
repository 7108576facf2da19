package io.reactivecomm.internal.group;

import io.reactivecomm.Bits;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.internal.schedule.choice.Wish;
import io.reactivecomm.internal.switches.Switches;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options that a view of a group gives its calls.
 *
 * @param name under which they are counted
 * @param deadline when they fail, counted from their subscription
 * @param wish how they are to be carried out over links
 * @param priority those of a greater one go first
 * @param site where in the program they come from, or {@link CallSite#NONE} for wherever each is assembled
 * @param isEnqueued whether they end when they are enqueued on a device
 * @param observers who hears of them beside those of the group, or null
 * @param switches the operations that are off for them, or null for those of the world
 */
record CallOptions(
        String name,
        Duration deadline,
        Wish wish,
        int priority,
        String site,
        boolean isEnqueued,
        @Nullable Observers observers,
        @Nullable Switches switches) {

    CallOptions(String name, Duration deadline) {
        this(name, deadline, Wish.NONE, 0, CallSite.NONE, false, null, null);
    }

    CallOptions withName(String other) {
        return new CallOptions(other, deadline, wish, priority, site, isEnqueued, observers, switches);
    }

    CallOptions withDeadline(Duration other) {
        return new CallOptions(name, other, wish, priority, site, isEnqueued, observers, switches);
    }

    CallOptions withAlgorithm(String other) {
        return withWish(new Wish(other, wish.bits()));
    }

    CallOptions withBits(Bits other) {
        return withWish(new Wish(wish.algorithm(), other));
    }

    private CallOptions withWish(Wish other) {
        return new CallOptions(name, deadline, other, priority, site, isEnqueued, observers, switches);
    }

    CallOptions withPriority(int other) {
        return new CallOptions(name, deadline, wish, other, site, isEnqueued, observers, switches);
    }

    CallOptions withSite(String other) {
        return new CallOptions(name, deadline, wish, priority, other, isEnqueued, observers, switches);
    }

    CallOptions withEnqueued(boolean other) {
        return new CallOptions(name, deadline, wish, priority, site, other, observers, switches);
    }

    CallOptions withObservers(@Nullable Observers other) {
        return new CallOptions(name, deadline, wish, priority, site, isEnqueued, other, switches);
    }

    CallOptions withSwitches(@Nullable Switches other) {
        return new CallOptions(name, deadline, wish, priority, site, isEnqueued, observers, other);
    }

    /** {@return these options inside a run of a composite call; the switches of the run's options, if any, replace these} */
    CallOptions within(CallOptions run) {
        return withSwitches(run.switches == null ? switches : run.switches);
    }

    /** {@return those of the calls that an operation is made of, which needs their results and chooses how they are done} */
    CallOptions ofParts() {
        return new CallOptions(name, deadline, new Wish("", wish.bits()), priority, site, false, observers, switches);
    }
}
