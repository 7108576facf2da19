package io.reactivecomm.timeline;

import io.reactivecomm.internal.timeline.EventWriter;
import io.reactivecomm.observe.CommEvent;

/** The moments of a trace that are none of a call's, in their rank's lane of events. */
final class EventArgs {

    private static final String WARNING = "warning";
    private static final String LOSS = "loss";

    private EventArgs() {}

    static void write(CommEvent event, EventWriter events) {
        switch (event) {
            case CommEvent.Waiting waiting ->
                moment("waiting for " + waiting.label(), WARNING, event, events)
                        .field("group", Long.toUnsignedString(waiting.group()))
                        .field("late", waiting.late().toString())
                        .field("silent", waiting.silent().toString())
                        .field("text", EventWriter.shortened(waiting.text()))
                        .endArgs();
            case CommEvent.PeerLost lost ->
                moment("rank " + lost.lost() + " is lost", LOSS, event, events)
                        .field("cause", EventWriter.shortened(lost.cause()))
                        .endArgs();
            case CommEvent.LoopHeld held ->
                moment(
                                "loop of rank " + held.held()
                                        + (held.forNanos() > 0 ? " does not turn" : " turns again"),
                                WARNING,
                                event,
                                events)
                        .field("forNanos", held.forNanos())
                        .field("doing", EventWriter.shortened(held.doing()))
                        .endArgs();
            case CommEvent.GroupFailed failed ->
                moment("group has failed", LOSS, event, events)
                        .field("group", Long.toUnsignedString(failed.group()))
                        .field("cause", EventWriter.shortened(failed.cause()))
                        .endArgs();
            case CommEvent.ClockCompared compared ->
                moment(EventWriter.CLOCK, EventWriter.CLOCK, event, events)
                        .field(EventWriter.OTHER, compared.other())
                        .field(EventWriter.OFFSET, compared.offsetNanos())
                        .field(EventWriter.BOUND, compared.boundNanos())
                        .endArgs();
            case CommEvent.WorldLeft _ ->
                moment("left the world", "world", event, events).endArgs();
        }
    }

    private static EventWriter moment(String name, String category, CommEvent event, EventWriter events) {
        return instant(name, category, event.rank(), event.nanos(), events);
    }

    /** Begins a moment's event, whose args follow. */
    static EventWriter instant(String name, String category, int rank, long nanos, EventWriter events) {
        return events.event("i", name, rank, EventWriter.EVENTS)
                .category(category)
                .at(nanos)
                .field("s", "t")
                .args();
    }
}
