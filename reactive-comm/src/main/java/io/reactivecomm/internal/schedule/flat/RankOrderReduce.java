package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.PeerOrder;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.Step;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import java.util.List;

/**
 * Reduce as a direct reduce-scatter in rank order, then a gather at the root: all ranks share the folding of a large tensor.
 *
 * <p>The elements are shared out in n chunks. The owner of a chunk folds the n contributions in rank order and hands what comes of them to
 * the root. Meanwhile later pieces of the chunk are still being folded.
 *
 * <pre>
 * five ranks, root 2, chunk 3:   0.3 1.3 2.3 4.3 → 3     3 folds 0.3 + 1.3 + 2.3 + 3.3 + 4.3     3 → 2
 * </pre>
 *
 * <p>Partial results travel in the accumulator's type, so that 16-bit floating point rounds once, at the root.
 *
 * <p><b>In place.</b> What the root takes for a chunk overwrites elements whose contribution the chunk's owner has already folded, so no
 * step needs to wait for a send.
 *
 * <p><b>Cost.</b> 2 steps; each rank sends, receives and folds S·(n−1)/n bytes; the others hand S/n on, the root receives S·(n−1)/n
 * besides, both of accumulator elements. All but the root need S/n of scratch.
 *
 * <p><b>Source.</b> Thakur, Rabenseifner, Gropp 2005, section 4 (reduce-scatter then gather), with direct exchange so that the order of
 * the fold is the order of ranks.
 */
public final class RankOrderReduce implements Algorithm {

    @Override
    public String name() {
        return "rank-order-direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        boolean isRoot = place.rank() == place.root();
        Span own = place.chunk(Buffer.OUTPUT, place.rank());
        Span target = new Span(isRoot ? Buffer.OUTPUT : Buffer.SCRATCH, isRoot ? own.from() : 0, own.count());
        int fold = steps.reduceScatter(place, rank -> place.chunk(Buffer.INPUT, rank), target, isRoot);
        if (!isRoot) {
            steps.send(place.root(), target, Wait.forElementsOf(fold));
            return steps.named(name(), target.count());
        }
        for (int peer : PeerOrder.after(place)) {
            steps.fold(place.chunk(Buffer.OUTPUT, peer), List.of(new Step.Source.Remote(peer, true)), true);
        }
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        int others = place.size() - 1;
        long own = place.chunk(Buffer.INPUT, place.rank()).count();
        long ofOthers = place.total(Buffer.INPUT) - own;
        boolean isRoot = place.rank() == place.root();
        Cost.Volume sent = new Cost.Volume(others + (isRoot ? 0 : 1), ofOthers, isRoot ? 0 : own);
        Cost.Volume received = new Cost.Volume(isRoot ? 2L * others : others, others * own, isRoot ? ofOthers : 0);
        return Cost.of(2 * place.oneStep(), sent, received).withScratch(isRoot ? 0 : own);
    }
}
