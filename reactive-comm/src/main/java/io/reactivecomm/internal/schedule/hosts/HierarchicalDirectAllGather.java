package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Cost.Volume;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.StepList;

/**
 * All-gather where each rank's elements cross to every other host once, to the rank at its place there, which tells the others of its host.
 *
 * <pre>
 * two hosts of two ranks, part 0:   0 → 1, 2     2 → 3
 * </pre>
 *
 * <p><b>In place.</b> A rank's own part is where it lies.
 *
 * <p><b>Cost.</b> 1 step between hosts and one within; each host sends and receives S·(h−1)/h bytes.
 */
public final class HierarchicalDirectAllGather implements Algorithm {

    @Override
    public String name() {
        return "hierarchical-direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        Span own = place.whole(Buffer.INPUT);
        HostTelling telling = new HostTelling(place, steps);
        telling.send(own);
        telling.receive(owner -> place.part(Buffer.OUTPUT, owner));
        steps.copy(own, place.part(Buffer.OUTPUT, place.rank()));
        return steps.named(name()).over(place.layout(), 0);
    }

    @Override
    public Cost cost(Place place) {
        HostTelling telling = new HostTelling(place, new StepList());
        long own = place.total(Buffer.INPUT);
        Volume received = Volume.of(place.size() - 1L, place.total(Buffer.OUTPUT) - own);
        return Cost.of(
                        telling.depth(),
                        telling.sent(owner -> place.part(Buffer.OUTPUT, owner).count()),
                        received)
                .withHostSteps(place.layout().hosts() > 1 ? 1 : 0);
    }
}
