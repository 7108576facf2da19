package io.reactivecomm.internal.schedule;

import java.util.List;

/** The two ends of a message: one transfer, 1 step, S bytes. What a rank sends itself is copied. */
public final class Message {

    private static final String NAME = "message";

    private Message() {}

    /** {@return the sender's part} */
    public static Schedule send(int peer, long count) {
        return new Schedule(NAME, List.of(new Step.Send(peer, new Span(Buffer.INPUT, 0, count), List.of())), 0);
    }

    /** {@return the receiver's part} */
    public static Schedule receive(int peer, long count) {
        return new Schedule(NAME, List.of(new Step.Receive(peer, new Span(Buffer.OUTPUT, 0, count), List.of())), 0);
    }

    /** {@return what a rank sends itself} */
    public static Schedule copy(long count) {
        Span from = new Span(Buffer.INPUT, 0, count);
        return new Schedule(NAME, List.of(new Step.Copy(from, new Span(Buffer.OUTPUT, 0, count), List.of())), 0);
    }
}
