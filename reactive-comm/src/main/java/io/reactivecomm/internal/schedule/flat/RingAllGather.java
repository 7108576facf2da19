package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;

/**
 * All-gather around the ring: each rank passes on what it has just got.
 *
 * <pre>
 * five ranks, the way of part 2:   2 → 3 → 4 → 0 → 1
 * </pre>
 *
 * <p><b>In place.</b> The copy of the own part falls away when input is that part.
 *
 * <p><b>Cost.</b> n−1 steps; each rank sends and receives n−1 parts, to and from its neighbours. Parts may differ in length.
 *
 * <p><b>Source.</b> Thakur, Rabenseifner, Gropp 2005.
 */
public final class RingAllGather implements Algorithm {

    @Override
    public String name() {
        return "ring";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        Span passed = place.whole(Buffer.INPUT);
        steps.copy(passed, place.part(Buffer.OUTPUT, place.rank()));
        Wait[] here = new Wait[0];
        for (int hop = 1; hop < place.size(); hop++) {
            steps.send(place.around(1), passed, here);
            passed = place.part(Buffer.OUTPUT, place.around(-hop));
            here = new Wait[] {Wait.forElementsOf(steps.receive(place.around(-1), passed))};
        }
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        long ofNext = place.part(Buffer.OUTPUT, place.around(1)).count();
        int hops = place.size() - 1;
        long total = place.total(Buffer.OUTPUT);
        return Cost.of(
                hops, Cost.Volume.of(hops, total - ofNext), Cost.Volume.of(hops, total - place.total(Buffer.INPUT)));
    }
}
