package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.Step;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import java.util.List;

/**
 * Reduce along the chain of ranks, streaming: each rank adds its elements to the partial result of the one before and passes it on. The
 * last hands it to the root.
 *
 * <pre>
 * five ranks, root 2:   0 ─x0→ 1 ─x0+x1→ 2 ─…+x2→ 3 ─…+x3→ 4 ─…+x4→ 2
 * </pre>
 *
 * <p>Partial results travel in the accumulator's type, so that 16-bit floating point rounds once, at the root.
 *
 * <p><b>In place.</b> The root's tensor takes element i of the result only after element i went down the chain.
 *
 * <p><b>Cost.</b> n steps (n−1 if the root is last), pipelined; each rank sends and receives S bytes, of accumulator elements but for
 * what rank 0 sends, and folds S. A root that is not last receives the result besides. All but rank 0 and a root that is last need S
 * of scratch.
 */
public final class ChainReduce implements Algorithm {

    @Override
    public String name() {
        return "rank-order-chain";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        int last = place.size() - 1;
        boolean isRoot = place.rank() == place.root();
        Span own = place.whole(Buffer.INPUT);
        if (isRoot && place.rank() == last) {
            steps.fold(place.whole(Buffer.OUTPUT), afterThePrevious(place, own), true);
            return steps.named(name());
        }
        boolean needsScratch = place.rank() > 0;
        int next = place.rank() == last ? place.root() : place.rank() + 1;
        if (needsScratch) {
            Span scratch = place.whole(Buffer.SCRATCH);
            int fold = steps.fold(scratch, afterThePrevious(place, own), false);
            steps.send(next, scratch, Wait.forElementsOf(fold));
        } else {
            steps.send(next, own);
        }
        if (isRoot) {
            steps.fold(place.whole(Buffer.OUTPUT), List.of(new Step.Source.Remote(last, true)), true);
        }
        return steps.named(name(), needsScratch ? place.whole(Buffer.INPUT).count() : 0);
    }

    @Override
    public Cost cost(Place place) {
        int last = place.size() - 1;
        boolean isRoot = place.rank() == place.root();
        boolean isFirst = place.rank() == 0;
        boolean sends = !(isRoot && place.rank() == last);
        boolean takesResult = isRoot && place.rank() != last;
        long count = place.total(Buffer.INPUT);
        long partials = (place.rank() > 1 ? count : 0) + (takesResult ? count : 0);
        int steps = last == 0 ? 0 : last + (place.root() == last ? 0 : 1);
        Cost.Volume sent = new Cost.Volume(sends ? 1 : 0, sends && isFirst ? count : 0, sends && !isFirst ? count : 0);
        Cost.Volume received =
                new Cost.Volume((isFirst ? 0 : 1) + (takesResult ? 1 : 0), place.rank() == 1 ? count : 0, partials);
        return Cost.of(steps, sent, received)
                .withFillSteps(Math.max(0, steps - 1))
                .withScratch(sends && !isFirst ? count : 0);
    }

    private static List<Step.Source> afterThePrevious(Place place, Span own) {
        Step.Source local = new Step.Source.Local(own);
        if (place.rank() == 0) {
            return List.of(local);
        }
        return List.of(new Step.Source.Remote(place.rank() - 1, place.rank() > 1), local);
    }
}
