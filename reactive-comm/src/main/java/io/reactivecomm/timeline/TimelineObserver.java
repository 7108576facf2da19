package io.reactivecomm.timeline;

import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * One place where a timeline hears of calls. It may end before they do: the writer then ends what it heard of.
 *
 * <p><b>Threads.</b> Any.
 */
final class TimelineObserver implements CommObserver {

    private final Recorder recorder;
    private boolean isOver;
    /** The writer has ended what was heard of here, and begins nothing more of it. Owned by the writer. */
    private boolean isSettled;

    TimelineObserver(Recorder recorder) {
        this.recorder = recorder;
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        recorder.begun(call, this);
    }

    @Override
    public void matched(ObservedCall call, int peer, long nanos) {
        recorder.matched(call, peer);
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        recorder.ended(call, this, error, nanos);
    }

    @Override
    public void happened(CommEvent event) {
        recorder.happened(event, this);
    }

    /** It hears nothing more; once. */
    synchronized void end() {
        if (!isOver) {
            isOver = true;
            recorder.over(this, System.nanoTime());
        }
    }

    boolean isSettled() {
        return isSettled;
    }

    void settled() {
        isSettled = true;
    }
}
