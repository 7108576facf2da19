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
 * All-reduce where every rank sends its whole input to every other, folds all of them apart from its tensor, and then puts the result
 * there. It is one step at any size, in place too.
 *
 * <p>Unlike {@link GatherFoldAllReduce} its fold overwrites nothing and so waits for no send. Only the last pass, which divides and rounds,
 * writes into the tensor, element by element as they have been sent.
 *
 * <pre>
 * five ranks:   0 → 1 2 3 4     1 → 2 3 4 0     2 → 3 4 0 1     3 → 4 0 1 2     4 → 0 1 2 3
 *               each rank by itself, into scratch: x0 + x1 + x2 + x3 + x4, then from scratch into its tensor
 * </pre>
 *
 * <p><b>Cost.</b> 1 step; each rank sends, receives and folds (n−1)·S bytes and passes once more over S; S of scratch.
 */
public final class StagedGatherFoldAllReduce implements Algorithm {

    @Override
    public String name() {
        return "staged-gather-fold";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        Span input = place.whole(Buffer.INPUT);
        Span scratch = place.whole(Buffer.SCRATCH);
        List<Wait> waits = new ArrayList<>();
        for (int peer : PeerOrder.after(place)) {
            waits.add(Wait.forElementsOf(steps.send(peer, input)));
        }
        waits.add(Wait.forElementsOf(steps.fold(scratch, StepList.inRankOrder(place, input), false)));
        steps.finish(place.whole(Buffer.OUTPUT), scratch, waits.toArray(Wait[]::new));
        return steps.named(name(), place.total(Buffer.INPUT));
    }

    @Override
    public Cost cost(Place place) {
        int others = place.size() - 1;
        long count = place.total(Buffer.INPUT);
        Cost.Volume volume = Cost.Volume.of(others, others * count);
        return Cost.of(place.oneStep(), volume, volume).withScratch(count);
    }
}
