package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.PeerOrder;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;

/**
 * All-to-all where every rank sends each other rank its part straight away.
 *
 * <pre>
 * five ranks, part p of rank r written r.p:   rank 0 sends 0.1 → 1, 0.2 → 2, 0.3 → 3, 0.4 → 4 and takes 1.0 2.0 3.0 4.0
 * </pre>
 *
 * <p><b>Cost.</b> 1 step; each rank sends n−1 parts. Parts may differ in length.
 */
public final class DirectAllToAll implements Algorithm {

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        for (int peer : PeerOrder.after(place)) {
            steps.send(peer, place.part(Buffer.INPUT, peer));
            steps.receive(peer, place.part(Buffer.OUTPUT, peer));
        }
        steps.copy(place.part(Buffer.INPUT, place.rank()), place.part(Buffer.OUTPUT, place.rank()));
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        int others = place.size() - 1;
        long own = place.part(Buffer.INPUT, place.rank()).count();
        return Cost.of(
                place.oneStep(),
                Cost.Volume.of(others, place.total(Buffer.INPUT) - own),
                Cost.Volume.of(others, place.total(Buffer.OUTPUT) - own));
    }
}
