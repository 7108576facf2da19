package io.reactivecomm.timing;

import io.reactivecomm.observe.ObservedCall;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keeper of one subscription's figures.
 *
 * <p><b>Threads.</b> Any.
 */
final class FigureKeeper implements Timekeeper {

    private final Consumer<? super CallFigures> told;

    // All guarded by this.
    private final CallSums sums = new CallSums();
    private long succeeded;
    private long failed;
    private long callNanos;

    /** @param told takes the figures at the end */
    FigureKeeper(Consumer<? super CallFigures> told) {
        this.told = told;
    }

    @Override
    public synchronized void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        if (error != null) {
            failed++;
            return;
        }
        succeeded++;
        callNanos += CommsLogger.tookNanos(call, nanos);
        sums.add(call);
    }

    @Override
    public void over(long nanos, @Nullable Throwable error, long calls) {
        told.accept(figures(nanos, calls));
    }

    synchronized CallFigures figures(long nanos, long calls) {
        return new CallFigures(
                nanos, calls, succeeded, failed, callNanos, sums.phases(), sums.payloadBytes(), sums.headerBytes());
    }
}
