package io.reactivecomm.internal.engine;

import io.reactivecomm.Work;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.spi.Failure;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * The ends of calls that their subscribers have not been told of.
 *
 * <p>They are told after the event that ended the call has been dealt with and its frames are on their way, so that a subscriber's code
 * neither delays the other ranks nor finds the engine in the middle of a change. Owned by the loop.
 */
final class Signals {

    /** What is to be told, and behind each whom: so nothing is allocated for the usual end. */
    private final ArrayDeque<Object> waiting = new ArrayDeque<>();

    private Consumer<Failure> failures = failure -> {};

    /** A call that has succeeded. */
    interface Success {

        /** {@return what is told of it at that time} */
        Work work(long endedAt);
    }

    /** A run of elements that are final. */
    private record Landed(long from, long count) {}

    void add(Runnable end) {
        add(end, end);
    }

    void succeeded(CallSink sink, Success call) {
        add(sink, call);
    }

    /** Also has the failures of calls told as they happen: frames of the event are still to be written then. */
    void whenFailed(Consumer<Failure> told) {
        failures = told;
    }

    void failed(CallSink sink, Failure failure) {
        // First: whatever goes wrong with telling it elsewhere, the subscriber must hear of it.
        add(sink, failure);
        failures.accept(failure);
    }

    void landed(CallSink.OfParts sink, long from, long count) {
        add(sink, new Landed(from, count));
    }

    /** There is news for a call's observers; before its end. */
    void observed(Observation call) {
        add(call, call);
    }

    private void add(Object whom, Object what) {
        waiting.add(what);
        waiting.add(whom);
    }

    /** {@return whether the next to be told is of a success, which says when that was} */
    boolean isSuccessNext() {
        return waiting.peek() instanceof Success;
    }

    /**
     * Tells one subscriber.
     *
     * @param now the time of a success: the event that ended the call may have begun long before
     * @return whether there was one to tell
     */
    boolean deliverOne(long now) {
        Object what = waiting.peek();
        if (what == null) {
            return false;
        }
        switch (what) {
            case Success call -> {
                // Made before it is taken: an end that there is no memory for must still be told.
                Work work = call.work(now);
                ((CallSink) take()).succeeded(work);
            }
            case Failure failure -> ((CallSink) take()).failed(failure);
            case Observation call -> ((Observation) take()).tellNews();
            case Landed landed -> ((CallSink.OfParts) take()).landed(landed.from, landed.count);
            case Object other -> {
                take();
                ((Runnable) other).run();
            }
        }
        return true;
    }

    /** {@return who is to be told; from here on nobody else does it} */
    private Object take() {
        waiting.remove();
        return waiting.remove();
    }
}
