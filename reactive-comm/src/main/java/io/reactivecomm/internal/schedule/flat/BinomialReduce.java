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
import java.util.ArrayList;
import java.util.List;

/**
 * Reduce along a binomial tree, streaming: a rank adds its children's partial results to its own elements and hands the sum to its parent.
 *
 * <p>The tree is that of {@link BinomialBroadcast}, from the leaves to the root; a rank folds all its children at once.
 *
 * <pre>
 * five ranks, root 0:     4 ──────────→ 0      x0 + x1 + (x2 + x3) + x4
 *                         3 ──→ 2 ────→ │
 *                               1 ────→ │
 * </pre>
 *
 * <p><b>Cost.</b> ⌊log₂ n⌋ steps; the root receives and folds S·⌈log₂ n⌉ bytes, each other rank S for each of its children, and sends S.
 * What ranks with children send is of accumulator elements; they need S of scratch, but for the root.
 *
 * <p><b>Source.</b> Thakur, Rabenseifner, Gropp 2005.
 */
public final class BinomialReduce implements Algorithm {

    @Override
    public String name() {
        return "binomial";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        int fromRoot = place.fromRoot();
        Span own = place.whole(Buffer.INPUT);
        if (fromRoot == 0) {
            steps.fold(place.whole(Buffer.OUTPUT), withChildren(place, own), true);
            return steps.named(name());
        }
        int parent = place.rankFromRoot(fromRoot - Integer.lowestOneBit(fromRoot));
        if (children(place, fromRoot) == 0) {
            steps.send(parent, own);
            return steps.named(name());
        }
        Span scratch = place.whole(Buffer.SCRATCH);
        int fold = steps.fold(scratch, withChildren(place, own), false);
        steps.send(parent, scratch, Wait.forElementsOf(fold));
        return steps.named(name(), own.count());
    }

    private static List<Step.Source> withChildren(Place place, Span own) {
        List<Step.Source> sources = new ArrayList<>();
        sources.add(new Step.Source.Local(own));
        int fromRoot = place.fromRoot();
        for (int child = 0; child < children(place, fromRoot); child++) {
            int each = fromRoot + (1 << child);
            sources.add(new Step.Source.Remote(place.rankFromRoot(each), children(place, each) > 0));
        }
        return sources;
    }

    private static int children(Place place, int fromRoot) {
        return BinomialBroadcast.children(fromRoot, place.size());
    }

    @Override
    public Cost cost(Place place) {
        long count = place.total(Buffer.INPUT);
        int fromRoot = place.fromRoot();
        int children = children(place, fromRoot);
        int leaves = 0;
        for (int child = 0; child < children; child++) {
            leaves += children(place, fromRoot + (1 << child)) == 0 ? 1 : 0;
        }
        boolean isInner = fromRoot > 0 && children > 0;
        boolean isLeaf = fromRoot > 0 && children == 0;
        Cost.Volume sent = new Cost.Volume(fromRoot == 0 ? 0 : 1, isLeaf ? count : 0, isInner ? count : 0);
        Cost.Volume received = new Cost.Volume(children, leaves * count, (children - leaves) * count);
        return Cost.of(Cost.log2Down(place.size()), sent, received).withScratch(isInner ? count : 0);
    }
}
