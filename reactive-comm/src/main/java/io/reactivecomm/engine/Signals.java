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

    /** Who is to be told, and behind each what: so nothing is allocated for the usual end. */
    private final ArrayDeque<Object> waiting = new ArrayDeque<>();

    /** A run of elements that are final. */
    private record Landed(long from, long count) {}

    void add(Runnable end) {
        add(end, end);
    }

    void succeeded(CallSink sink, Work work) {
        add(sink, work);
    }

    void failed(CallSink sink, Failure failure) {
        add(sink, failure);
    }

    void landed(PartSink sink, long from, long count) {
        add(sink, new Landed(from, count));
    }

    private void add(Object whom, Object what) {
        waiting.add(whom);
        waiting.add(what);
    }

    /** Tells one subscriber. {@return whether there was one to tell} */
    boolean deliverOne() {
        Object whom = waiting.poll();
        if (whom == null) {
            return false;
        }
        switch (waiting.remove()) {
            case Work work -> ((CallSink) whom).succeeded(work);
            case Failure failure -> ((CallSink) whom).failed(failure);
            case Landed landed -> ((PartSink) whom).landed(landed.from, landed.count);
            case Object other -> ((Runnable) other).run();
        }
        return true;
    }
}
