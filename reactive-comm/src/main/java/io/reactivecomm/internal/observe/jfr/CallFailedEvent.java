package io.reactivecomm.internal.observe.jfr;

import io.reactivecomm.internal.base.ErrorTexts;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** A call that failed: of all such calls, also where {@link CallEvent} leaves some out. */
@Name("io.reactivecomm.CallFailed")
@Label("Call Failed")
@Description("A call that ended with an error")
final class CallFailedEvent extends CallFacts {

    @Label("Took")
    @Description("From its subscription to its end")
    @Timespan
    long took;

    @Label("Error")
    String error = "";

    @Label("Message")
    String message = "";

    void is(Throwable failure, long nanos) {
        took = nanos;
        error = failure.getClass().getName();
        message = ErrorTexts.message(failure);
    }
}
