package io.reactivecomm.metrics;

import io.micrometer.observation.Observation;
import io.reactivecomm.observe.ObservedCall;

/** The context of a call's observation, by which handlers and conventions get at the call. */
public final class CallContext extends Observation.Context {

    private final ObservedCall call;

    CallContext(ObservedCall call) {
        this.call = call;
    }

    /** {@return the call, as its observers see it} */
    public ObservedCall call() {
        return call;
    }
}
