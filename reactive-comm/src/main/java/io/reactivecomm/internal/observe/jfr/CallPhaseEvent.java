package io.reactivecomm.internal.observe.jfr;

import io.reactivecomm.observe.ObservedCall;
import java.util.OptionalLong;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** A phase of a call that is over: what the call's event has in its fields, for tools that group events by a field. Of each call whose event is written. */
@Name("io.reactivecomm.CallPhase")
@Label("Call Phase")
@Description("What a call's time went into; written at its end")
final class CallPhaseEvent extends CallFacts {

    @Label("Phase")
    @Description("queued, matching, wire or fold")
    String phase = "";

    @Label("Took")
    @Timespan
    long took;

    static void write(ObservedCall observed, String phase, OptionalLong nanos) {
        if (nanos.isPresent()) {
            CallPhaseEvent event = new CallPhaseEvent();
            event.is(observed);
            event.phase = phase;
            event.took = nanos.getAsLong();
            event.commit();
        }
    }
}
