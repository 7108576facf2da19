package io.reactivecomm.internal.live;

import io.reactivecomm.Operation;
import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * An observer that counts what ends. Composite calls count by their parts.
 *
 * <p><b>Threads.</b> Any.
 */
final class CallMeter implements CommObserver {

    private final LongAdder calls = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder busBytes = new LongAdder();

    private long waitingNanos;
    /** Until when waiting is counted. */
    private long waitedUntil = Long.MIN_VALUE;

    private final Runnable bad;

    /** @param bad is run when a rank is lost or a group has failed: the program may end soon after */
    CallMeter(Runnable bad) {
        this.bad = bad;
    }

    /** The counts of a time. */
    record Counts(long calls, long failed, long bytes, long busBytes, long waitingNanos) {}

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        if (call.isComposite()) {
            return;
        }
        calls.increment();
        waited(call);
        if (error != null) {
            failed.increment();
            return;
        }
        bytes.add(call.byteSize());
        busBytes.add(Math.round(call.byteSize() * Operation.busFactor(call.operation(), call.groupSize())));
    }

    /** Waits of calls that overlap count once. */
    private synchronized void waited(ObservedCall call) {
        CallPhases phases = call.phases();
        long begun = call.subscribedAt() + phases.queued().orElse(0);
        long matched = begun + phases.matching().orElse(0);
        if (waitedUntil == Long.MIN_VALUE || begun - waitedUntil > 0) {
            waitedUntil = begun;
        }
        if (matched - waitedUntil > 0) {
            waitingNanos += matched - waitedUntil;
            waitedUntil = matched;
        }
    }

    private synchronized long takeWaiting() {
        long taken = waitingNanos;
        waitingNanos = 0;
        return taken;
    }

    @Override
    public void happened(CommEvent event) {
        switch (event) {
            case CommEvent.PeerLost ignored -> bad.run();
            case CommEvent.GroupFailed ignored -> bad.run();
            case CommEvent.Waiting ignored -> {}
            case CommEvent.LoopHeld ignored -> {}
            case CommEvent.ClockCompared ignored -> {}
            case CommEvent.WorldLeft ignored -> {}
        }
    }

    /** {@return the counts since this was asked last} */
    Counts take() {
        return new Counts(
                calls.sumThenReset(),
                failed.sumThenReset(),
                bytes.sumThenReset(),
                busBytes.sumThenReset(),
                takeWaiting());
    }
}
