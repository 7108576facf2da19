package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.PeerOrder;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;

/**
 * Scatter where the root sends every rank its part straight away.
 *
 * <pre>
 * five ranks, root 2:   2 → 3 4 0 1
 * </pre>
 *
 * <p><b>In place.</b> The copy of the root's own part falls away when its output is that part.
 *
 * <p><b>Cost.</b> 1 step; the root sends n−1 parts. Parts may differ in length.
 */
public final class DirectScatter implements Algorithm {

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        if (place.rank() != place.root()) {
            steps.receive(place.root(), place.whole(Buffer.OUTPUT));
            return steps.named(name());
        }
        for (int peer : PeerOrder.after(place)) {
            steps.send(peer, place.part(Buffer.INPUT, peer));
        }
        steps.copy(place.part(Buffer.INPUT, place.rank()), place.whole(Buffer.OUTPUT));
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        long own = place.total(Buffer.OUTPUT);
        boolean isRoot = place.rank() == place.root();
        Cost.Volume sent = Cost.Volume.of(isRoot ? place.size() - 1 : 0, isRoot ? place.total(Buffer.INPUT) - own : 0);
        return Cost.of(isRoot ? place.oneStep() : 1, sent, Cost.Volume.of(isRoot ? 0 : 1, isRoot ? 0 : own));
    }
}
