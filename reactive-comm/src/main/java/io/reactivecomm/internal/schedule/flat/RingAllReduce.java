package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;

/**
 * All-reduce around the ring: a ring reduce-scatter of n chunks, then a ring all-gather of their results. Each rank talks to its two
 * neighbours alone, and no link carries more than another.
 *
 * <pre>
 * five ranks, the way of chunk 2:   3 ─3.2→ 4 ─3.2+4.2→ 0 ─…+0.2→ 1 ─…+1.2→ 2, which adds 2.2: R2
 *                                   2 ─R2→ 3 ─R2→ 4 ─R2→ 0 ─R2→ 1
 * </pre>
 *
 * <p><b>In place.</b> A chunk's result comes only after every rank has added its elements and passed them on.
 *
 * <p><b>Cost.</b> 2·(n−1) steps; each rank sends and receives 2·S·(n−1)/n bytes, of accumulator elements in all but the first of the first
 * n−1 steps. Two chunks of scratch.
 *
 * <p><b>Source.</b> Patarasuk, Yuan, «Bandwidth optimal all-reduce algorithms for clusters of workstations», 2009.
 */
public final class RingAllReduce implements Algorithm {

    @Override
    public String name() {
        return "ring";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        int step = RingSteps.ofChunks(place).reduce(steps, place.chunk(Buffer.OUTPUT, place.rank()));
        for (int hop = 0; hop < place.size() - 1; hop++) {
            steps.send(place.around(1), place.chunk(Buffer.OUTPUT, place.around(-hop)), Wait.forElementsOf(step));
            step = steps.receive(place.around(-1), place.chunk(Buffer.OUTPUT, place.around(-hop - 1)));
        }
        return steps.named(name(), cost(place).scratch());
    }

    @Override
    public Cost cost(Place place) {
        Cost half = RingSteps.ofChunks(place).cost();
        long total = place.total(Buffer.INPUT);
        long next = place.chunk(Buffer.INPUT, place.around(1)).count();
        long own = place.chunk(Buffer.INPUT, place.rank()).count();
        int hops = place.size() - 1;
        return Cost.of(
                        2 * hops,
                        half.sent().plus(Cost.Volume.of(hops, total - next)),
                        half.received().plus(Cost.Volume.of(hops, total - own)))
                .withScratch(half.scratch());
    }
}
