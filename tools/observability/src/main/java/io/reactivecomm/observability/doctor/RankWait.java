package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.LiveCall;

/**
 * A rank that waits, or has waited in vain, for another to make a call.
 *
 * @param micros for how long
 * @param isLive whether it still does
 */
record RankWait(int waiter, CallRecord call, int missing, long micros, boolean isLive) {

    static RankWait of(int waiter, LiveCall call, int missing) {
        return new RankWait(waiter, call.call(), missing, call.subscribedMicrosAgo(), true);
    }

    boolean isMessage() {
        return call.kind() == CallRecord.Kind.MESSAGE;
    }

    CallId id() {
        return CallId.of(call);
    }
}
