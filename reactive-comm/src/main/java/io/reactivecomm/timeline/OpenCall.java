package io.reactivecomm.timeline;

import io.reactivecomm.observe.ObservedCall;

/** A call that has begun and has not ended, as far as the writer knows. Owned by the writer. */
final class OpenCall {

    final ObservedCall call;
    final TimelineObserver hearing;
    final Tracks.Track track;
    final int lane;
    final long begun;
    /** Who joined last, in the group. */
    int lastPeer = ObservedCall.NO_PEER;

    OpenCall(ObservedCall call, TimelineObserver hearing, Tracks.Track track, int lane, long begun) {
        this.call = call;
        this.hearing = hearing;
        this.track = track;
        this.lane = lane;
        this.begun = begun;
    }
}
