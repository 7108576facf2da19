package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.CallRecord;

/** The identity of a call on all ranks. */
record CallId(long group, String label) {

    static CallId of(CallRecord call) {
        return new CallId(call.group(), call.label());
    }
}
