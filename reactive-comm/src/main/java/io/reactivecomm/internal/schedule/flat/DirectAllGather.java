package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.PeerOrder;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.StepList;

/**
 * All-gather where every rank sends its input straight to every other.
 *
 * <pre>
 * five ranks:   0 → 1 2 3 4     1 → 2 3 4 0     2 → 3 4 0 1     3 → 4 0 1 2     4 → 0 1 2 3
 * </pre>
 *
 * <p><b>In place.</b> The copy of the own part falls away when input is that part.
 *
 * <p><b>Cost.</b> 1 step; each rank sends and receives n−1 parts.
 */
public final class DirectAllGather implements Algorithm {

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        Span input = place.whole(Buffer.INPUT);
        for (int peer : PeerOrder.after(place)) {
            steps.send(peer, input);
            steps.receive(peer, place.part(Buffer.OUTPUT, peer));
        }
        steps.copy(input, place.part(Buffer.OUTPUT, place.rank()));
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        int others = place.size() - 1;
        long input = place.total(Buffer.INPUT);
        return Cost.of(
                place.oneStep(),
                Cost.Volume.of(others, others * input),
                Cost.Volume.of(others, place.total(Buffer.OUTPUT) - input));
    }
}
