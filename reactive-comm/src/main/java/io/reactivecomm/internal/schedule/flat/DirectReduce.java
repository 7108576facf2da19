package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;

/**
 * Reduce where every rank sends its tensor straight to the root, which folds them in rank order.
 *
 * <pre>
 * five ranks, root 2:   0 1 3 4 → 2,   2 folds x0 + x1 + x2 + x3 + x4
 * </pre>
 *
 * <p><b>Cost.</b> 1 step; the root receives and folds (n−1)·S bytes.
 */
public final class DirectReduce implements Algorithm {

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        if (place.rank() == place.root()) {
            steps.fold(place.whole(Buffer.OUTPUT), StepList.inRankOrder(place, place.whole(Buffer.INPUT)), true);
        } else {
            steps.send(place.root(), place.whole(Buffer.INPUT));
        }
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        long count = place.total(Buffer.INPUT);
        int others = place.size() - 1;
        boolean isRoot = place.rank() == place.root();
        Cost.Volume sent = Cost.Volume.of(isRoot ? 0 : 1, isRoot ? 0 : count);
        return Cost.of(
                isRoot ? place.oneStep() : 1, sent, Cost.Volume.of(isRoot ? others : 0, isRoot ? others * count : 0));
    }
}
