package io.reactivecomm.bucket;

import io.reactivecomm.bucket.BucketPlan.Bucket;
import io.reactivecomm.hook.Gradient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The flights of one step, from its plan on: which begins next and in which memory, what landed ones bring, and which will never begin. A
 * pure machine.
 *
 * <pre>
 *   next() ──&gt; packed and under way ── landed() ──&gt; results, in the order chosen
 *   end()  ──&gt; those that have not begun, to be refused; over once the others have landed
 * </pre>
 *
 * <p>Flights begin in the order of their buckets, each when its bucket is whole and there is memory for it, and none after the end.
 */
final class StepFlights {

    private final Step step;
    private final List<Flight> flights;
    private final FlatBuffers buffers;
    private final Custody custody;
    private int underWay;
    private boolean ended;

    /** @param flights one for each bucket of the step's plan, in their order */
    StepFlights(Step step, List<Flight> flights, FlatBuffers buffers, Custody custody) {
        this.step = step;
        this.flights = List.copyOf(flights);
        this.buffers = buffers;
        this.custody = custody;
    }

    /**
     * {@return the flight that begins now, packed; null if its bucket is not whole, has no memory yet, or none is to begin any more}
     *
     * @param storage where gradients live in their buckets, or null
     */
    @Nullable Flight next(@Nullable Storage storage) {
        Bucket bucket = ended ? null : step.next();
        if (bucket == null || !load(flights.get(bucket.index()), storage)) {
            return null;
        }
        step.began();
        underWay++;
        return flights.get(bucket.index());
    }

    private boolean load(Flight flight, @Nullable Storage storage) {
        boolean returned = false;
        try {
            boolean loaded = flight.load(step, buffers, storage);
            returned = true;
            return loaded;
        } finally {
            if (!returned) {
                flight.letGo(buffers);
            }
        }
    }

    /**
     * A flight's call has ended: its results go to their gradients, and its memory to the next.
     *
     * @param isReduced whether it has ended with a result
     * @return all results that may go now
     */
    List<Gradient> landed(Flight flight, boolean isReduced) {
        underWay--;
        try {
            if (isReduced) {
                flight.unload(step);
            }
        } finally {
            flight.letGo(buffers);
            custody.giveBack(step.in(flight.bucket()));
        }
        return isReduced ? step.finished(flight.bucket()) : List.of();
    }

    /** No more are to begin. {@return those that have not; none if that was said before} */
    List<Flight> end() {
        List<Flight> rest = ended ? List.of() : flights.subList(step.begunCount(), flights.size());
        ended = true;
        return rest;
    }

    /** {@return whether nothing can happen to them any more} */
    boolean areOver() {
        return ended ? underWay == 0 : step.isOver();
    }
}
