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
import io.reactivecomm.internal.schedule.choice.Selection;
import java.util.ArrayList;
import java.util.List;

/**
 * All-reduce where every rank sends its whole input to every other and folds all of them: the algorithm for small tensors.
 *
 * <pre>
 * five ranks:   0 → 1 2 3 4     1 → 2 3 4 0     2 → 3 4 0 1     3 → 4 0 1 2     4 → 0 1 2 3
 *               then each rank by itself: x0 + x1 + x2 + x3 + x4
 * </pre>
 *
 * <p><b>In place.</b> The fold overwrites what is being sent, so it waits for the sends. They must therefore not wait for the peers' folds:
 * it serves only transfers that need no grant ({@link Selection#within}), and says so ({@link Schedule#needsNoGrants}).
 *
 * <p><b>Cost.</b> 1 step; each rank sends, receives and folds (n−1)·S bytes. Fewest steps possible, most bytes.
 */
public final class GatherFoldAllReduce implements Algorithm {

    @Override
    public String name() {
        return "gather-fold";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        Span input = place.whole(Buffer.INPUT);
        List<Wait> sends = new ArrayList<>();
        for (int peer : PeerOrder.after(place)) {
            sends.add(Wait.forAllOf(steps.send(peer, input)));
        }
        steps.fold(place.whole(Buffer.OUTPUT), StepList.inRankOrder(place, input), true, sends.toArray(Wait[]::new));
        return steps.withoutGrants(name());
    }

    @Override
    public Cost cost(Place place) {
        int others = place.size() - 1;
        Cost.Volume volume = Cost.Volume.of(others, others * place.total(Buffer.INPUT));
        return Cost.of(place.oneStep(), volume, volume);
    }
}
