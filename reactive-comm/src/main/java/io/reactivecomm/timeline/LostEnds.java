package io.reactivecomm.timeline;

import io.reactivecomm.observe.ObservedCall;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;

/**
 * The calls whose ends found no room in the ring, so that what is kept of them does not stay. Each has its turn once all is taken out that stood in the
 * ring when its end was lost: its beginning is then known, if it was recorded at all. Of more than can be kept only the moment is known.
 *
 * <p><b>Threads.</b> {@link #add} and {@link #isEmpty} any; {@link #settle} one at a time.
 */
final class LostEnds {

    private static final long NEVER = -1;

    private final Queue<Lost> calls;
    /** Up to which place of the ring ends were lost of which it is not known whose. */
    private final AtomicLong unknownUpTo = new AtomicLong(NEVER);

    private long settledUpTo = NEVER;
    private volatile long latest;

    /**
     * A call without an end.
     *
     * @param place how many records the ring had been asked for by then
     * @param nanos when it ended
     */
    private record Lost(ObservedCall call, long place, long nanos) {}

    /** @param most how many calls are kept */
    LostEnds(int most) {
        calls = new LinkedBlockingQueue<>(most);
    }

    void add(ObservedCall call, long place, long nanos) {
        if (!calls.offer(new Lost(call, place, nanos))) {
            latest = nanos;
            unknownUpTo.accumulateAndGet(place, Math::max);
        }
    }

    /**
     * Hands over those whose turn it is.
     *
     * @param taken how many records were taken out of the ring
     * @param one takes a call, and when it ended
     * @param all takes when some of the calls ended that have a beginning, whichever these are
     */
    void settle(long taken, ObjLongConsumer<ObservedCall> one, LongConsumer all) {
        for (Lost next = calls.peek(); next != null && next.place <= taken; next = calls.peek()) {
            calls.remove();
            one.accept(next.call, next.nanos);
        }
        long unknown = unknownUpTo.get();
        if (unknown > settledUpTo && unknown <= taken) {
            settledUpTo = unknown;
            all.accept(latest);
        }
    }

    boolean isEmpty() {
        return calls.isEmpty();
    }
}
