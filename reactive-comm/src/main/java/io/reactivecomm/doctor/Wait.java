package io.reactivecomm.doctor;

import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.LiveCall;

/**
 * A rank that waits, or has waited in vain, for another to make a call.
 *
 * @param micros for how long
 * @param isLive whether it still does
 * @param isOfAny whether it would take the message of another rank as well
 */
record Wait(int waiter, CallRecord call, int missing, long micros, boolean isLive, boolean isOfAny) {

    static Wait of(int waiter, LiveCall call, int missing) {
        boolean isOfAny = call.state() == LiveCall.State.POSTED && call.missing().size() > 1;
        return new Wait(waiter, call.call(), missing, call.subscribedMicrosAgo(), true, isOfAny);
    }

    boolean isMessage() {
        return call.kind() == CallRecord.Kind.MESSAGE;
    }

    CallId id() {
        return CallId.of(call);
    }
}
