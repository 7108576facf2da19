package io.reactivecomm.internal.observe.jfr;

import io.reactivecomm.observe.CommEvent;
import java.util.List;
import java.util.stream.Collectors;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A moment in which nothing goes on: a call that waits for long, or a rank's loop that does not turn. */
@Name("io.reactivecomm.Stall")
@Label("Stall")
@Description("A call waits for long, or a rank's loop does not turn")
@Category("Reactive Comm")
@StackTrace(false)
final class StallEvent extends Event {

    @Label("Rank")
    @Description("This rank in the world")
    int rank;

    @Label("Kind")
    @Description("call waits, loop held, or loop turns again")
    String kind = "";

    @Label("Group")
    @Description("Of a call that waits the group's number; 0 is the world")
    long group = CallEvent.UNKNOWN;

    @Label("Call")
    @Description("The call that waits, such as layer1.weight#2")
    String call = "";

    @Label("Culprits")
    @Description("World ranks that have not made the call, or the one whose loop is held")
    String culprits = "";

    @Label("Silent")
    @Description("World ranks that have not answered")
    String silent = "";

    @Label("Lasting")
    @Description("For how long the loop has not turned")
    @Timespan
    long lasting = CallEvent.UNKNOWN;

    @Label("Text")
    @Description("The warning as it is logged, or what holds the loop")
    String text = "";

    void is(CommEvent.Waiting waiting) {
        rank = waiting.rank();
        kind = "call waits";
        group = waiting.group();
        call = waiting.label();
        culprits = listed(waiting.late());
        silent = listed(waiting.silent());
        text = waiting.text();
    }

    void is(CommEvent.LoopHeld held) {
        rank = held.rank();
        kind = held.forNanos() > 0 ? "loop held" : "loop turns again";
        culprits = Integer.toString(held.held());
        lasting = held.forNanos() > 0 ? held.forNanos() : CallEvent.UNKNOWN;
        text = held.doing();
    }

    private static String listed(List<Integer> ranks) {
        return ranks.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
}
