package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.PeerOrder;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;

/**
 * Gather where every rank sends its input straight to the root.
 *
 * <pre>
 * five ranks, root 2:   0 1 3 4 → 2
 * </pre>
 *
 * <p><b>In place.</b> The copy of the root's own part falls away when its input is that part.
 *
 * <p><b>Cost.</b> 1 step; the root receives n−1 parts. Parts may differ in length.
 */
public final class DirectGather implements Algorithm {

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        if (place.rank() != place.root()) {
            steps.send(place.root(), place.whole(Buffer.INPUT));
            return steps.named(name());
        }
        for (int peer : PeerOrder.after(place)) {
            steps.receive(peer, place.part(Buffer.OUTPUT, peer));
        }
        steps.copy(place.whole(Buffer.INPUT), place.part(Buffer.OUTPUT, place.rank()));
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        long own = place.total(Buffer.INPUT);
        boolean isRoot = place.rank() == place.root();
        Cost.Volume received =
                Cost.Volume.of(isRoot ? place.size() - 1 : 0, isRoot ? place.total(Buffer.OUTPUT) - own : 0);
        return Cost.of(isRoot ? place.oneStep() : 1, Cost.Volume.of(isRoot ? 0 : 1, isRoot ? 0 : own), received);
    }
}
