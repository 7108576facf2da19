package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import java.util.ArrayList;
import java.util.List;

/**
 * All-to-all after Bruck: a part that has d ranks to go travels the powers of two in d. All parts that travel the same power of two at
 * the same time go as one transfer.
 *
 * <p>Rank r's part for rank r+d is its part d. In round k each rank packs its parts d with bit k set, sends them to the rank 2ᵏ ahead. It
 * takes as many from the rank 2ᵏ behind in their stead. After the round of its highest bit a part is where it belongs.
 *
 * <pre>
 * five ranks:   round 0: parts 1 3 → r+1     round 1: parts 2 3 → r+2     round 2: part 4 → r+4     (mod 5)
 *               part 3 of rank 0 goes to rank 1, which hands it to rank 3
 * </pre>
 *
 * <p><b>Cost.</b> ⌈log₂ n⌉ steps, one less where no part goes in both of the last two rounds (three halves of a power of two are no less
 * than n). ⌈log₂ n⌉ transfers of each rank instead of n−1, of S/n times the number of ones in all of 1 to n−1: about S/2·log₂ n bytes.
 * Twice that of scratch. Parts are equally long.
 *
 * <p><b>Source.</b> Bruck, Ho, Kipnis, Upfal, Weathersby, «Efficient algorithms for all-to-all communications in multiport
 * message-passing systems», 1997.
 */
public final class BruckAllToAll implements Algorithm {

    @Override
    public String name() {
        return "bruck";
    }

    @Override
    public Schedule schedule(Place place) {
        Packing packing = new Packing(place);
        for (int distance = 1; distance < place.size(); distance <<= 1) {
            packing.round(distance);
        }
        packing.unpack();
        return packing.steps.named(name(), packing.scratch);
    }

    /** The places of a rank's parts, by the distance that they go. */
    private static final class Packing {

        private final Place place;
        private final StepList steps = new StepList();
        private final long count;
        private final Span[] parts;
        private final Wait[][] here;
        private long scratch;

        private Packing(Place place) {
            this.place = place;
            this.count = place.part(Buffer.INPUT, 0).count();
            this.parts = new Span[place.size()];
            this.here = new Wait[place.size()][0];
            for (int distance = 0; distance < parts.length; distance++) {
                parts[distance] = place.part(Buffer.INPUT, place.around(distance));
            }
        }

        void round(int bit) {
            int moving = moving(place.size(), bit);
            Span packed = new Span(Buffer.SCRATCH, scratch, moving * count);
            Span taken = new Span(Buffer.SCRATCH, scratch + packed.count(), packed.count());
            scratch += 2 * packed.count();
            List<Wait> copies = new ArrayList<>(moving);
            int index = 0;
            for (int distance = bit; distance < parts.length; distance++) {
                if ((distance & bit) != 0) {
                    copies.add(Wait.forAllOf(steps.copy(parts[distance], slot(packed, index++), here[distance])));
                }
            }
            steps.send(place.around(bit), packed, copies.toArray(Wait[]::new));
            Wait[] arrived = {Wait.forAllOf(steps.receive(place.around(-bit), taken))};
            index = 0;
            for (int distance = bit; distance < parts.length; distance++) {
                if ((distance & bit) != 0) {
                    parts[distance] = slot(taken, index++);
                    here[distance] = arrived;
                }
            }
        }

        private Span slot(Span from, int index) {
            return new Span(Buffer.SCRATCH, from.from() + index * count, count);
        }

        void unpack() {
            for (int distance = 0; distance < parts.length; distance++) {
                steps.copy(parts[distance], place.part(Buffer.OUTPUT, place.around(-distance)), here[distance]);
            }
        }
    }

    /** {@return how many distances below {@code size} have that bit} */
    private static int moving(int size, int bit) {
        return size / (2 * bit) * bit + Math.max(0, size % (2 * bit) - bit);
    }

    @Override
    public Cost cost(Place place) {
        long moved = 0;
        for (int bit = 1; bit < place.size(); bit <<= 1) {
            moved += moving(place.size(), bit) * place.part(Buffer.INPUT, 0).count();
        }
        Cost.Volume volume = Cost.Volume.of(Cost.log2Up(place.size()), moved);
        int rounds = Cost.log2Up(place.size());
        boolean lastRoundsAreChained = rounds < 2 || 3 << (rounds - 2) < place.size();
        return Cost.of(lastRoundsAreChained ? rounds : rounds - 1, volume, volume)
                .withScratch(2 * moved);
    }
}
