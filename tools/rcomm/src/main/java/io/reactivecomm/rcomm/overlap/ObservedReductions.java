package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.Operation;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/** An observer of a group's all-reduces, each of which it has noted from its subscription to its end. */
final class ObservedReductions implements CommObserver {

    private final StepRecorder recorder;
    private final Map<ObservedCall, Runnable> underWay = new ConcurrentHashMap<>();

    ObservedReductions(StepRecorder recorder) {
        this.recorder = recorder;
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        if (call.operation().equals(Operation.ALL_REDUCE.label())
                && call.label().contains("/bucket.")) {
            underWay.put(call, recorder.reductionBegins());
        }
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        Runnable end = underWay.remove(call);
        if (end != null) {
            end.run();
        }
    }
}
