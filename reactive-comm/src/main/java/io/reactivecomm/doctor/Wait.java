package io.reactivecomm.doctor;

import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.LiveCall;

/**
 * A rank that waits, or has waited in vain, for another to make a call.
 *
 * @param micros for how long
 * @param isLive whether it still does
 */
record Wait(int waiter, CallRecord call, int missing, long micros, boolean isLive) {

    static Wait of(int waiter, LiveCall call, int missing) {
        return new Wait(waiter, call.call(), missing, call.subscribedMicrosAgo(), true);
    }

    boolean isMessage() {
        return call.kind() == CallRecord.Kind.MESSAGE;
    }

    CallId id() {
        return CallId.of(call);
    }
}
