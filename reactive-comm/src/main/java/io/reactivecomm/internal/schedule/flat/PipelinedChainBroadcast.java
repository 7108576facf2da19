package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;

/**
 * Broadcast along the chain of ranks that begins at the root, streaming: a rank passes on each piece as it arrives.
 *
 * <pre>
 * five ranks, root 2:   2 → 3 → 4 → 0 → 1
 * </pre>
 *
 * <p><b>Cost.</b> n−1 steps, pipelined; each rank sends and receives S bytes at most, so that the time of a large tensor hardly depends on
 * the number of ranks.
 *
 * <p><b>Source.</b> Van de Geijn, Watts, «SUMMA», 1997 (pipelined broadcasts along a ring).
 */
public final class PipelinedChainBroadcast implements Algorithm {

    @Override
    public String name() {
        return "chain";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        int fromRoot = place.fromRoot();
        Wait[] here = new Wait[0];
        if (fromRoot > 0) {
            int receive = steps.receive(place.rankFromRoot(fromRoot - 1), place.whole(Buffer.OUTPUT));
            here = new Wait[] {Wait.forElementsOf(receive)};
        }
        if (fromRoot < place.size() - 1) {
            steps.send(
                    place.rankFromRoot(fromRoot + 1), place.whole(fromRoot == 0 ? Buffer.INPUT : Buffer.OUTPUT), here);
        }
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        long count = place.total(Buffer.INPUT);
        int last = place.size() - 1;
        int sent = place.fromRoot() < last ? 1 : 0;
        int received = place.fromRoot() > 0 ? 1 : 0;
        return Cost.of(last, Cost.Volume.of(sent, sent * count), Cost.Volume.of(received, received * count))
                .withFillSteps(Math.max(0, last - 1));
    }
}
