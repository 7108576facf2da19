package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;

/**
 * Reduce-scatter where every rank sends each other rank its part, and the owner folds the contributions in rank order.
 *
 * <pre>
 * five ranks, part p of rank r written r.p:   rank 2 gets 0.2 1.2 3.2 4.2 and folds 0.2 + 1.2 + 2.2 + 3.2 + 4.2
 * </pre>
 *
 * <p><b>In place.</b> The own part is the only one that is written, and nobody else needs it.
 *
 * <p><b>Cost.</b> 1 step; each rank sends and folds n−1 parts.
 */
public final class RankOrderReduceScatter implements Algorithm {

    @Override
    public String name() {
        return "rank-order-direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        steps.reduceScatter(place, rank -> place.part(Buffer.INPUT, rank), place.whole(Buffer.OUTPUT), true);
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        int others = place.size() - 1;
        long own = place.part(Buffer.INPUT, place.rank()).count();
        return Cost.of(
                place.oneStep(),
                Cost.Volume.of(others, place.total(Buffer.INPUT) - own),
                Cost.Volume.of(others, others * own));
    }
}
