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
 * All-reduce by recursive doubling: in round k each rank exchanges its partial result with the rank whose number differs in bit k.
 *
 * <p>Where the ranks are no power of two, the first of them form pairs. The even rank of a pair, a guest, hands its elements to the odd one
 * before and gets the result after. Results are bracketed as a tree whose leaves are in rank order, the same on all ranks.
 *
 * <pre>
 * five ranks:   0 → 1               1 takes x0 + x1;     then of 1 2 3 4:
 *               round 0:  1 ⇄ 2   3 ⇄ 4                  (x0+x1)+x2 on 1 2, x3+x4 on 3 4
 *               round 1:  1 ⇄ 3   2 ⇄ 4                  ((x0+x1)+x2) + (x3+x4) on 1 2 3 4
 *               1 → 0
 * </pre>
 *
 * <p><b>In place.</b> Partial results lie in scratch, a stretch for each round; only the last pass writes into the tensor, after what was
 * there has been sent.
 *
 * <p><b>Cost.</b> ⌊log₂ n⌋ steps; one more where n is no power of two, two more beyond one and a half times a power of two. A rank sends
 * and receives S·⌊log₂ n⌋ bytes, the odd one of a pair S more, a guest S in all. They are of accumulator elements but for a rank's own, and
 * for the result. S·⌊log₂ n⌋ of scratch, S more for the odd one of a pair, none for a guest.
 *
 * <p><b>Source.</b> Thakur, Rabenseifner, Gropp 2005.
 */
public final class RecursiveDoublingAllReduce implements Algorithm {

    @Override
    public String name() {
        return "recursive-doubling";
    }

    @Override
    public Schedule schedule(Place place) {
        Core core = new Core(place.rank(), place.size());
        if (core.isGuest()) {
            StepList steps = new StepList();
            steps.send(place.rank() + 1, place.whole(Buffer.INPUT));
            steps.receive(place.rank() + 1, place.whole(Buffer.OUTPUT));
            return steps.named(name());
        }
        Folding folding = new Folding(place);
        if (core.isHost()) {
            folding.fold(place.rank() - 1, false, true);
        }
        for (int bit = 1; bit < core.size(); bit <<= 1) {
            int peer = core.peer(bit);
            folding.send(peer);
            folding.fold(peer, bit > 1 || core.isHost(peer), (core.number() & bit) != 0);
        }
        folding.finish();
        if (core.isHost()) {
            folding.sendResult(place.rank() - 1);
        }
        return folding.steps.named(name(), folding.slots * place.total(Buffer.INPUT));
    }

    /** A rank's place among the largest power of two of ranks; the ranks beyond it are guests of the first. */
    private record Core(int rank, int ranks) {

        int size() {
            return Integer.highestOneBit(ranks);
        }

        int pairs() {
            return ranks - size();
        }

        boolean isGuest() {
            return rank < 2 * pairs() && rank % 2 == 0;
        }

        boolean isHost() {
            return isHost(rank);
        }

        boolean isHost(int each) {
            return each < 2 * pairs() && each % 2 == 1;
        }

        int number() {
            return isHost() ? rank / 2 : rank - pairs();
        }

        int peer(int bit) {
            int number = number() ^ bit;
            return number < pairs() ? 2 * number + 1 : number + pairs();
        }
    }

    /** The elements that a rank has folded so far, and their place. */
    private static final class Folding {

        private final Place place;
        private final StepList steps = new StepList();
        private final List<Wait> inputSent = new ArrayList<>(1);
        private Span folded;
        private List<Wait> ready = List.of();
        private int slots;

        private Folding(Place place) {
            this.place = place;
            this.folded = place.whole(Buffer.INPUT);
        }

        void send(int peer) {
            int step = steps.send(peer, folded, ready.toArray(Wait[]::new));
            if (folded.buffer() == Buffer.INPUT) {
                inputSent.add(Wait.forElementsOf(step));
            }
        }

        void fold(int peer, boolean partial, boolean peerFirst) {
            Step.Source own = new Step.Source.Local(folded);
            Step.Source other = new Step.Source.Remote(peer, partial);
            Span slot = new Span(Buffer.SCRATCH, slots++ * folded.count(), folded.count());
            int step = steps.fold(
                    slot, peerFirst ? List.of(other, own) : List.of(own, other), false, ready.toArray(Wait[]::new));
            folded = slot;
            ready = List.of(Wait.forElementsOf(step));
        }

        void finish() {
            List<Wait> waits = new ArrayList<>(ready);
            waits.addAll(inputSent);
            ready = List.of(
                    Wait.forElementsOf(steps.finish(place.whole(Buffer.OUTPUT), folded, waits.toArray(Wait[]::new))));
        }

        void sendResult(int peer) {
            steps.send(peer, place.whole(Buffer.OUTPUT), ready.toArray(Wait[]::new));
        }
    }

    @Override
    public Cost cost(Place place) {
        long count = place.total(Buffer.INPUT);
        Core core = new Core(place.rank(), place.size());
        int rounds = Cost.log2Down(place.size());
        // A chain begins and ends with a guest only if two hosts' numbers differ in all bits.
        int fillSteps = 2 * core.pairs() > core.size() ? 1 : 0;
        int steps = rounds + (core.pairs() > 0 ? 1 : 0) + fillSteps;
        if (core.isGuest()) {
            return Cost.of(steps, Cost.Volume.of(1, count), Cost.Volume.of(1, count))
                    .withFillSteps(fillSteps);
        }
        int guests = core.isHost() ? 1 : 0;
        // The first round carries the elements of ranks that have folded nothing yet.
        int rawSent = rounds > 0 && !core.isHost() ? 1 : 0;
        int rawReceived = rounds > 0 && !core.isHost(core.peer(1)) ? 1 : 0;
        return Cost.of(
                        steps,
                        new Cost.Volume(rounds + guests, (rawSent + guests) * count, (rounds - rawSent) * count),
                        new Cost.Volume(
                                rounds + guests, (rawReceived + guests) * count, (rounds - rawReceived) * count))
                .withFillSteps(fillSteps)
                .withScratch((rounds + guests) * count);
    }
}
