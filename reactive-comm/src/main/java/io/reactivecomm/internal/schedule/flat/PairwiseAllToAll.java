package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;

/**
 * All-to-all by pairwise exchange: in step i each rank sends to the one i ahead and takes from the one i behind, one step after the other.
 * among a power of two of ranks it exchanges with rank XOR i. So each rank has one sender and one receiver at a time, however many ranks
 * there are.
 *
 * <pre>
 * five ranks, rank 0:   step 1: → 1, ← 4    step 2: → 2, ← 3    step 3: → 3, ← 2    step 4: → 4, ← 1
 * </pre>
 *
 * <p><b>Cost.</b> n−1 steps; each rank sends n−1 parts. Parts may differ in length.
 *
 * <p><b>Source.</b> Thakur, Rabenseifner, Gropp 2005.
 */
public final class PairwiseAllToAll implements Algorithm {

    @Override
    public String name() {
        return "pairwise";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        steps.copy(place.part(Buffer.INPUT, place.rank()), place.part(Buffer.OUTPUT, place.rank()));
        boolean isPowerOfTwo = Integer.bitCount(place.size()) == 1;
        Wait[] before = new Wait[0];
        for (int step = 1; step < place.size(); step++) {
            int to = isPowerOfTwo ? place.rank() ^ step : place.around(step);
            int from = isPowerOfTwo ? to : place.around(-step);
            int send = steps.send(to, place.part(Buffer.INPUT, to), before);
            int receive = steps.receive(from, place.part(Buffer.OUTPUT, from), before);
            before = new Wait[] {Wait.forAllOf(send), Wait.forAllOf(receive)};
        }
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        int others = place.size() - 1;
        long own = place.part(Buffer.INPUT, place.rank()).count();
        return Cost.of(
                others,
                Cost.Volume.of(others, place.total(Buffer.INPUT) - own),
                Cost.Volume.of(others, place.total(Buffer.OUTPUT) - own));
    }
}
