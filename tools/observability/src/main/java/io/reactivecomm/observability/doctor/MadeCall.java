package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.LiveCall;
import org.jspecify.annotations.Nullable;

/**
 * A call that a rank has made, under way or over.
 *
 * @param subscribedMicrosAgo when, before its dump
 * @param isLive whether it is under way
 * @param mayBeIdle whether it is, and nobody is late for it
 * @param failure why it failed, or null
 */
record MadeCall(
        CallRecord call,
        long subscribedMicrosAgo,
        boolean isLive,
        boolean mayBeIdle,
        @Nullable FailureRecord failure) {

    static MadeCall of(LiveCall live) {
        return new MadeCall(live.call(), live.subscribedMicrosAgo(), true, live.mayBeIdle(), null);
    }

    static MadeCall of(EndedCall ended) {
        return new MadeCall(ended.call(), ended.subscribedMicrosAgo(), false, false, ended.failure());
    }

    CallId id() {
        return CallId.of(call);
    }

    /** {@return whether the two are the same line of a program's loop, as far as one can tell: group, name and what is called} */
    boolean isLike(CallRecord other) {
        return call.group() == other.group()
                && call.name().equals(other.name())
                && call.what().equals(other.what());
    }
}
