package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;

/**
 * Broadcast along a binomial tree, streaming: a rank passes on what has arrived while the rest is still coming.
 *
 * <p>With ranks counted from the root (v = (rank − root) mod n), the parent of v is v without its lowest set bit. Its children are v plus
 * each smaller power of two.
 *
 * <pre>
 * five ranks, root 0:     0 ── 4
 *                         ├─── 2 ── 3
 *                         └─── 1
 * </pre>
 *
 * <p><b>Cost.</b> ⌊log₂ n⌋ steps; the root sends S·⌈log₂ n⌉ bytes, each other rank S for each of its children.
 *
 * <p><b>Source.</b> Thakur, Rabenseifner, Gropp 2005, section 3.1.
 */
public final class BinomialBroadcast implements Algorithm {

    @Override
    public String name() {
        return "binomial";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        int fromRoot = place.fromRoot();
        Wait[] waits = new Wait[0];
        int reach = Integer.highestOneBit(Math.max(1, place.size() - 1)) << 1;
        if (fromRoot != 0) {
            reach = Integer.lowestOneBit(fromRoot);
            int receive = steps.receive(place.rankFromRoot(fromRoot - reach), place.whole(Buffer.OUTPUT));
            waits = new Wait[] {Wait.forElementsOf(receive)};
        }
        for (int step = reach >> 1; step > 0; step >>= 1) {
            if (fromRoot + step < place.size()) {
                steps.send(
                        place.rankFromRoot(fromRoot + step),
                        place.whole(fromRoot == 0 ? Buffer.INPUT : Buffer.OUTPUT),
                        waits);
            }
        }
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        long count = place.total(Buffer.INPUT);
        int children = children(place.fromRoot(), place.size());
        int parents = place.fromRoot() == 0 ? 0 : 1;
        return Cost.of(
                Cost.log2Down(place.size()),
                Cost.Volume.of(children, children * count),
                Cost.Volume.of(parents, parents * count));
    }

    /** {@return how many children a place in the binomial tree has: one for each smaller power of two that stays within it} */
    public static int children(int fromRoot, int size) {
        int below = fromRoot == 0 ? Integer.SIZE - 1 : Integer.numberOfTrailingZeros(fromRoot);
        return Math.min(below, Cost.log2Up(size - fromRoot));
    }
}
