package io.reactivecomm.bucket;

import io.reactivecomm.bucket.BucketPlan.Bucket;
import io.reactivecomm.hook.Gradient;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The flights of one step, from its plan on: which begins next and in which memory, and what landed ones bring. A pure machine.
 *
 * <pre>
 *   next() ──&gt; packed and under way ── reduced() ── landed() ──&gt; results, in the order chosen
 *   end()  ──&gt; no more begin; over once those under way have landed
 * </pre>
 *
 * <p>Flights begin in the order of their buckets, each when its bucket is whole and there is memory for it, and none after the end.
 */
final class InFlightBuckets {

    private final StepProgress step;
    private final List<Flight> flights;
    private final FlatBuffers buffers;
    private final BorrowedGradients borrowed;
    private int underWay;
    private boolean ended;

    /** @param flights one for each bucket of the step's plan, in their order */
    InFlightBuckets(StepProgress step, List<Flight> flights, FlatBuffers buffers, BorrowedGradients borrowed) {
        this.step = step;
        this.flights = List.copyOf(flights);
        this.buffers = buffers;
        this.borrowed = borrowed;
    }

    /**
     * {@return the flight that begins now, packed; null if its bucket is not whole, has no memory yet, or none is to begin any more}
     *
     * @param storage where gradients live in their buckets, or null
     */
    @Nullable Flight next(@Nullable GradientArena storage) {
        Bucket bucket = ended ? null : step.next();
        if (bucket == null || !load(flights.get(bucket.index()), storage)) {
            return null;
        }
        step.began();
        underWay++;
        return flights.get(bucket.index());
    }

    private boolean load(Flight flight, @Nullable GradientArena storage) {
        boolean returned = false;
        try {
            boolean loaded = flight.load(step, buffers, storage);
            returned = true;
            return loaded;
        } finally {
            if (!returned) {
                flight.letGo(buffers, true);
            }
        }
    }

    /** A flight's call has ended well, or is enqueued: its results go to their gradients. {@return when it has landed; null for now} */
    @Nullable Mono<Void> reduced(Flight flight) {
        return flight.unload(step);
    }

    /**
     * A flight is over: its memory goes to the next.
     *
     * @param isReduced whether its results are with their gradients
     * @return all results that may go now
     */
    List<Gradient> landed(Flight flight, boolean isReduced) {
        underWay--;
        try {
            flight.letGo(buffers, isReduced);
        } finally {
            borrowed.giveBack(step.in(flight.bucket()));
        }
        if (!isReduced) {
            flight.discard();
            return List.of();
        }
        flight.bring(step);
        return step.finished(flight.bucket());
    }

    /** No more are to begin. */
    void end() {
        ended = true;
    }

    /** {@return whether nothing can happen to them any more} */
    boolean areOver() {
        return ended ? underWay == 0 : step.isOver();
    }
}
