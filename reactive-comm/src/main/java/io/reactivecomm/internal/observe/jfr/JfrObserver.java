package io.reactivecomm.internal.observe.jfr;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * The writer of the library's events in the JDK's flight recorder.
 *
 * <p><b>Threads.</b> Any.
 */
final class JfrObserver implements CommObserver {

    /** Never written: they only say whether a recording asks for their like. */
    private static final CallEvent CALL = new CallEvent();

    private static final CallPhaseEvent PHASE = new CallPhaseEvent();
    private static final CallFailedEvent FAILED = new CallFailedEvent();
    private static final PeerLostEvent LOST = new PeerLostEvent();
    private static final StallEvent STALL = new StallEvent();
    private static final GroupFailedEvent GROUP_FAILED = new GroupFailedEvent();

    /** Calls that run: an event begins with its call. */
    private final Map<ObservedCall, CallEvent> live = new ConcurrentHashMap<>();

    /** {@return whether a recording asks for events of calls} */
    static boolean areCallsOn() {
        return CALL.isEnabled() || PHASE.isEnabled() || FAILED.isEnabled();
    }

    /** {@return whether a recording asks for one of the other events} */
    static boolean isRestOn() {
        return LOST.isEnabled() || STALL.isEnabled() || GROUP_FAILED.isEnabled();
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        if (areCallsOn()) {
            CallEvent event = new CallEvent();
            event.begin();
            live.put(call, event);
        }
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        CallEvent event = live.remove(call);
        if (event != null) {
            event.end();
            boolean isWritten = event.shouldCommit();
            if (isWritten) {
                event.ended(call, error);
                event.commit();
            }
            if (PHASE.isEnabled() && (isWritten || !CALL.isEnabled())) {
                writePhases(call);
            }
        }
        if (error != null && FAILED.isEnabled()) {
            CallFailedEvent failed = new CallFailedEvent();
            failed.is(call);
            failed.is(error, nanos - call.subscribedAt());
            failed.commit();
        }
    }

    private static void writePhases(ObservedCall call) {
        CallPhases phases = call.phases();
        CallPhaseEvent.write(call, "queued", phases.queued());
        CallPhaseEvent.write(call, "matching", phases.matching());
        CallPhaseEvent.write(call, "wire", phases.wire());
        CallPhaseEvent.write(call, "fold", phases.fold());
    }

    @Override
    public void happened(CommEvent event) {
        switch (event) {
            case CommEvent.Waiting waiting -> {
                StallEvent stall = new StallEvent();
                stall.is(waiting);
                stall.commit();
            }
            case CommEvent.LoopHeld held -> {
                StallEvent stall = new StallEvent();
                stall.is(held);
                stall.commit();
            }
            case CommEvent.PeerLost loss -> {
                PeerLostEvent lost = new PeerLostEvent();
                lost.is(loss);
                lost.commit();
            }
            case CommEvent.GroupFailed failed -> {
                GroupFailedEvent ended = new GroupFailedEvent();
                ended.is(failed);
                ended.commit();
            }
            case CommEvent.ClockCompared ignored -> {}
            case CommEvent.WorldLeft ignored -> {}
        }
    }
}
