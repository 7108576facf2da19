package io.reactivecomm.internal.schedule.flat;

import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.Step;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The reduce-scatter around the ring: all of {@link RingReduceScatter}, and the first half of {@link RingAllReduce}.
 *
 * <p>The chunk that ends at rank c starts at rank c+1 and goes once around; each rank adds its elements to the partial result and passes it
 * on. A rank's partial results lie in two slots of scratch in turn: one is filled while the other is sent. No rank waits for itself so: the
 * slot of a hop is free once the next rank has made the hop before it.
 */
final class RingSteps {

    private final Place place;
    private final IntFunction<Span> chunks;
    private final long slotCount;

    private RingSteps(Place place, IntFunction<Span> chunks, long slotCount) {
        this.place = place;
        this.chunks = chunks;
        this.slotCount = slotCount;
    }

    /** {@return a ring on which each rank ends with its chunk of a single part; the first chunk is a longest} */
    static RingSteps ofChunks(Place place) {
        return new RingSteps(
                place,
                rank -> place.chunk(Buffer.INPUT, rank),
                place.chunk(Buffer.INPUT, 0).count());
    }

    /** {@return a ring on which each rank ends with its part} */
    static RingSteps ofParts(Place place) {
        long longest = 0;
        int different = place.partition(Buffer.INPUT).isEven() ? 1 : place.size();
        for (int part = 0; part < different; part++) {
            longest = Math.max(longest, place.part(Buffer.INPUT, part).count());
        }
        return new RingSteps(place, rank -> place.part(Buffer.INPUT, rank), longest);
    }

    /** Adds the steps. {@return the index of the one that leaves this rank's chunk of the result there} */
    int reduce(StepList steps, Span result) {
        Step.Source last = new Step.Source.Local(chunk(place.size() - 1));
        if (place.size() == 1) {
            return steps.fold(result, List.of(last), true);
        }
        int next = place.around(1);
        int previous = place.around(-1);
        int[] sends = new int[place.size() - 1];
        sends[0] = steps.send(next, chunk(0));
        for (int hop = 1; hop < sends.length; hop++) {
            Span own = chunk(hop);
            Span slot = new Span(Buffer.SCRATCH, hop % 2 * slotCount, own.count());
            Wait[] emptied = hop > 2 ? new Wait[] {Wait.forAllOf(sends[hop - 2])} : new Wait[0];
            int fold = steps.fold(
                    slot,
                    List.of(new Step.Source.Remote(previous, hop > 1), new Step.Source.Local(own)),
                    false,
                    emptied);
            sends[hop] = steps.send(next, slot, Wait.forElementsOf(fold));
        }
        return steps.fold(result, List.of(new Step.Source.Remote(previous, place.size() > 2), last), true);
    }

    /** {@return the chunk that this rank adds to when it has been over that many links} */
    private Span chunk(int hop) {
        return chunks.apply(place.around(-1 - hop));
    }

    /** {@return the cost: a rank sends what starts with it as elements, and all but that and its own chunk as partial results} */
    Cost cost() {
        int hops = place.size() - 1;
        boolean isAlone = hops == 0;
        long total = isAlone ? 0 : place.total(Buffer.INPUT);
        long own = isAlone ? 0 : chunk(hops).count();
        long starts = isAlone ? 0 : chunk(0).count();
        long previousStarts = isAlone ? 0 : chunk(1).count();
        return Cost.of(
                        hops,
                        new Cost.Volume(hops, starts, total - starts - own),
                        new Cost.Volume(hops, previousStarts, total - starts - previousStarts))
                .withScratch(hops > 1 ? 2 * slotCount : 0);
    }
}
