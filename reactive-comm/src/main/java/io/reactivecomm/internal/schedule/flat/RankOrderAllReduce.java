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

/**
 * All-reduce as a direct reduce-scatter in rank order, then a direct all-gather: the algorithm for large tensors.
 *
 * <p>The elements are shared out in n chunks. Every rank sends each other rank that rank's chunk; the owner folds the n contributions
 * in rank order and sends the result back to all. The result streams out while later pieces of the chunk are still being folded.
 *
 * <pre>
 * five ranks, chunk c of rank r written r.c          fold in rank order            result to all
 *   rank 0:  0.0 0.1 0.2 0.3 0.4     rank 0 gets 1.0 2.0 3.0 4.0    R0 = 0.0+1.0+2.0+3.0+4.0  → 1 2 3 4
 *   rank 1:  1.0 1.1 1.2 1.3 1.4     rank 1 gets 0.1 2.1 3.1 4.1    R1 = 0.1+1.1+2.1+3.1+4.1  → 0 2 3 4
 *   …                                …                              …
 * </pre>
 *
 * <p><b>In place.</b> A result for chunk c overwrites elements whose contribution its owner has already folded, so no step needs to
 * wait for a send.
 *
 * <p><b>Cost.</b> 2 steps; each rank sends and receives 2·S·(n−1)/n bytes and folds S·(n−1)/n.
 *
 * <p><b>Source.</b> Thakur, Rabenseifner, Gropp, «Optimization of Collective Communication Operations in MPICH», 2005, section 4
 * (reduce-scatter then all-gather). Here it is with direct exchange so that the order of the fold is the order of ranks.
 */
public final class RankOrderAllReduce implements Algorithm {

    @Override
    public String name() {
        return "rank-order-direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        Span result = place.chunk(Buffer.OUTPUT, place.rank());
        int fold = steps.reduceScatter(place, rank -> place.chunk(Buffer.INPUT, rank), result, true);
        for (int peer : PeerOrder.after(place)) {
            steps.send(peer, result, Wait.forElementsOf(fold));
        }
        for (int peer : PeerOrder.after(place)) {
            steps.receive(peer, place.chunk(Buffer.OUTPUT, peer));
        }
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        int others = place.size() - 1;
        long own = place.chunk(Buffer.INPUT, place.rank()).count();
        Cost.Volume volume = Cost.Volume.of(2L * others, place.total(Buffer.INPUT) - own + others * own);
        return Cost.of(2 * place.oneStep(), volume, volume);
    }
}
