package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import java.util.ArrayList;
import java.util.List;

/**
 * Barrier by dissemination: in round k each rank tells the one 2ᵏ ahead that it and all it has heard of have come.
 *
 * <pre>
 * five ranks:   round 0:  r → r+1     round 1:  r → r+2     round 2:  r → r+4     (mod 5)
 * </pre>
 *
 * <p><b>Cost.</b> ⌈log₂ n⌉ steps, no payload.
 *
 * <p><b>Source.</b> Hensgen, Finkel, Manber, «Two Algorithms for Barrier Synchronization», 1988.
 */
public final class DisseminationBarrier implements Algorithm {

    @Override
    public String name() {
        return "dissemination";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        List<Wait> heard = new ArrayList<>();
        Span nothing = new Span(Buffer.INPUT, 0, 0);
        for (int distance = 1; distance < place.size(); distance <<= 1) {
            steps.send((place.rank() + distance) % place.size(), nothing, heard.toArray(Wait[]::new));
            int receive = steps.receive(Math.floorMod(place.rank() - distance, place.size()), nothing);
            heard.add(Wait.forAllOf(receive));
        }
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        int rounds = Cost.log2Up(place.size());
        Cost.Volume volume = Cost.Volume.of(rounds, 0);
        return Cost.of(rounds, volume, volume);
    }
}
