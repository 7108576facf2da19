package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;

/**
 * Reduce-scatter around the ring: part p starts at rank p+1, and each rank adds its own to it and passes it on.
 *
 * <pre>
 * five ranks, the way of part 2:   3 ─2.3→ 4 ─2.3+2.4→ 0 ─…+2.0→ 1 ─…+2.1→ 2, which adds 2.2 and keeps it
 * </pre>
 *
 * <p><b>In place.</b> The own part is the only one that is written, and it never leaves the rank.
 *
 * <p><b>Cost.</b> n−1 steps, each of one part; all but the first carry accumulator elements. Two parts of scratch. Parts may differ in
 * length.
 *
 * <p><b>Source.</b> Thakur, Rabenseifner, Gropp 2005; Patarasuk, Yuan, «Bandwidth optimal all-reduce algorithms», 2009.
 */
public final class RingReduceScatter implements Algorithm {

    @Override
    public String name() {
        return "ring";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        RingSteps.ofParts(place).reduce(steps, place.whole(Buffer.OUTPUT));
        return steps.named(name(), cost(place).scratch());
    }

    @Override
    public Cost cost(Place place) {
        return RingSteps.ofParts(place).cost();
    }
}
