package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.PeerOrder;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import java.util.ArrayList;
import java.util.List;

/**
 * Barrier around rank 0: it hears from every rank, then tells every rank. So one rank knows exactly who has not come.
 *
 * <pre>
 * five ranks:   1 2 3 4 → 0, then 0 → 1 2 3 4
 * </pre>
 *
 * <p><b>Cost.</b> 2 steps, no payload; rank 0 sends and receives n−1 frames.
 */
public final class StarBarrier implements Algorithm {

    @Override
    public String name() {
        return "star";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        Span nothing = new Span(Buffer.INPUT, 0, 0);
        if (place.rank() != 0) {
            steps.send(0, nothing);
            steps.receive(0, nothing);
            return steps.named(name());
        }
        List<Wait> heard = new ArrayList<>();
        for (int peer : PeerOrder.after(place)) {
            heard.add(Wait.forAllOf(steps.receive(peer, nothing)));
        }
        for (int peer : PeerOrder.after(place)) {
            steps.send(peer, nothing, heard.toArray(Wait[]::new));
        }
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        Cost.Volume volume = Cost.Volume.of(place.rank() == 0 ? place.size() - 1 : 1, 0);
        return Cost.of(2 * place.oneStep(), volume, volume);
    }
}
