package io.reactivecomm.internal.observe.jfr;

import io.reactivecomm.observe.CommEvent;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A rank that is lost to this one. */
@Name("io.reactivecomm.PeerLost")
@Label("Peer Lost")
@Description("A rank of the world is lost")
@Category("Reactive Comm")
@StackTrace(false)
final class PeerLostEvent extends Event {

    @Label("Rank")
    @Description("This rank in the world")
    int rank;

    @Label("Lost")
    @Description("The lost rank in the world")
    int lost;

    @Label("Cause")
    String cause = "";

    void is(CommEvent.PeerLost loss) {
        rank = loss.rank();
        lost = loss.lost();
        cause = loss.cause();
    }
}
