package io.reactivecomm.internal.observe.jfr;

import io.reactivecomm.observe.ObservedCall;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;

/** The fields that all events of a call have, by which they are put together. */
@Category("Reactive Comm")
@StackTrace(false)
abstract class CallFacts extends Event {

    @Label("Number")
    @Description("The same in all events of one call")
    long number;

    @Label("Rank")
    @Description("This rank in the world")
    int rank;

    @Label("Group")
    @Description("The group's number, the same on all its ranks; 0 is the world")
    long group;

    @Label("Operation")
    String operation = "";

    @Label("Call")
    @Description("The call in messages, such as layer1.weight#2")
    String call = "";

    final void is(ObservedCall observed) {
        number = observed.number();
        rank = observed.rank();
        group = observed.group();
        operation = observed.operation();
        call = observed.label();
    }
}
