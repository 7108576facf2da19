package io.reactivecomm.timeline;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.timeline.EventWriter;
import io.reactivecomm.observe.ObservedCall;

/** The facts of a call in its slice: only those that are known, as everywhere. */
final class CallArgs {

    private CallArgs() {}

    /** Who the call is. */
    static void write(ObservedCall call, EventWriter events) {
        events.field("call", call.label())
                .field("group", Long.toUnsignedString(call.group()))
                .field("groupSize", call.groupSize());
        text("type", call.type(), events);
        text("reduction", call.reduction(), events);
        text("algorithm", call.algorithm(), events);
        text("backend", call.backend(), events);
        text("composite", call.composite(), events);
        call.step().ifPresent(step -> events.field("step", step));
        number("count", call.count(), ObservedCall.NO_COUNT, events);
        number("bytes", call.byteSize(), 0, events);
        number("peer", call.peer(), ObservedCall.NO_PEER, events);
    }

    /** How it ended. */
    static void writeEnd(OpenCall of, Record record, EventWriter events) {
        number("joinedLast", of.lastPeer, ObservedCall.NO_PEER, events);
        number("payloadBytes", record.payloadBytes, Record.UNKNOWN, events);
        number("queuedNanos", record.queued, Record.UNKNOWN, events);
        number("matchingNanos", record.matching, Record.UNKNOWN, events);
        number("wireNanos", record.wire, Record.UNKNOWN, events);
        number("foldNanos", record.fold, Record.UNKNOWN, events);
        Throwable error = record.error;
        if (error != null) {
            events.field("error", error.getClass().getSimpleName())
                    .field("cause", EventWriter.shortened(ErrorTexts.message(error)));
        }
    }

    private static void text(String name, String value, EventWriter events) {
        if (!value.isEmpty()) {
            events.field(name, value);
        }
    }

    private static void number(String name, long value, long unknown, EventWriter events) {
        if (value != unknown) {
            events.field(name, value);
        }
    }
}
