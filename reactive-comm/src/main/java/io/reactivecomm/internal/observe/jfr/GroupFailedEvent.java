package io.reactivecomm.internal.observe.jfr;

import io.reactivecomm.observe.CommEvent;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A group that ended by a failure. */
@Name("io.reactivecomm.GroupFailed")
@Label("Group Failed")
@Description("A group has ended by a failure, such as the loss of a member")
@Category("Reactive Comm")
@StackTrace(false)
final class GroupFailedEvent extends Event {

    @Label("Rank")
    @Description("This rank in the world")
    int rank;

    @Label("Group")
    @Description("The group's number; 0 is the world")
    long group;

    @Label("Cause")
    String cause = "";

    void is(CommEvent.GroupFailed failed) {
        rank = failed.rank();
        group = failed.group();
        cause = failed.cause();
    }
}
