package io.reactivecomm.engine;

import io.reactivecomm.Work;
import io.reactivecomm.spi.Failure;
import java.util.ArrayDeque;

/**
 * The ends of calls that their subscribers have not been told of.
 *
 * <p>They are told after the event that ended the call has been dealt with and its frames are on their way, so that a subscriber's code
 * neither delays the other ranks nor finds the engine in the middle of a change. Owned by the loop.
 */
final class Signals {

    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    void add(Runnable end) {
        waiting.add(end);
    }

    void succeeded(CallSink sink, Work work) {
        waiting.add(() -> sink.succeeded(work));
    }

    void failed(CallSink sink, Failure failure) {
        waiting.add(() -> sink.failed(failure));
    }

    void landed(PartSink sink, long from, long count) {
        waiting.add(() -> sink.landed(from, count));
    }

    /** Tells one subscriber. {@return whether there was one to tell} */
    boolean deliverOne() {
        Runnable next = waiting.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }
}
