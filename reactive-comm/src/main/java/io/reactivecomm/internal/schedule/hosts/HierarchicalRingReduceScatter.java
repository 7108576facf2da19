package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Cost.Volume;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.Step;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import java.util.ArrayList;
import java.util.List;

/**
 * Reduce-scatter around a ring of hosts: each part goes around once, from the host after its owner's to the owner's, and at each the rank at the
 * owner's place adds the elements of all ranks of its host, which it reads where they lie.
 *
 * <pre>
 * three hosts of two ranks, part 1:   3: 2.1+3.1 → 5: …+4.1+5.1 → 1: …+0.1+1.1
 * </pre>
 *
 * <p>It orders operands by the layout: the result is the same in all runs of one layout, and not that of the rank order.
 *
 * <p><b>In place.</b> The own part is the only one that is written, when all have been folded.
 *
 * <p><b>Cost.</b> h−1 steps between h hosts, and one within a host before them. Each host sends and receives S·(h−1)/h bytes, of partial results. Scratch for
 * each part that a rank hands on.
 */
public final class HierarchicalRingReduceScatter implements Algorithm {

    @Override
    public String name() {
        return "hierarchical-ring";
    }

    @Override
    public Schedule schedule(Place place) {
        HostShares shares = new HostShares(place);
        StepList steps = new StepList();
        long scratch = 0;
        for (int owner = 0; owner < place.size(); owner++) {
            Hop hop = new Hop(shares, place, owner);
            if (!hop.folds()) {
                steps.send(shares.owner(hop.at()), hop.own());
            } else if (owner == place.rank()) {
                steps.fold(place.whole(Buffer.OUTPUT), hop.operands(), true);
            } else if (hop.isUnfolded(hop.number())) {
                steps.send(hop.next(), hop.own());
            } else {
                Span partial = new Span(Buffer.SCRATCH, scratch, hop.own().count());
                steps.send(hop.next(), partial, Wait.forElementsOf(steps.fold(partial, hop.operands(), false)));
                scratch += partial.count();
            }
        }
        return steps.named(name(), scratch).over(place.layout(), HostPieces.foldedElements(place));
    }

    /** A part's stay on this rank's host. */
    private record Hop(HostShares shares, Place place, int owner) {

        /** {@return the place of those who fold the part} */
        int at() {
            return place.layout().local(owner);
        }

        boolean folds() {
            return shares.isOwn(at());
        }

        Span own() {
            return place.part(Buffer.INPUT, owner);
        }

        /** {@return how many hosts it has been to before; it ends on its owner's} */
        int number() {
            return Math.floorMod(shares.host() - place.layout().host(owner) - 1, shares.hosts());
        }

        int next() {
            return shares.owner(shares.host() + 1, at());
        }

        /** {@return whether what a host hands on, as the so-manieth, is elements of one rank} */
        boolean isUnfolded(int ofNumber) {
            return ofNumber == 0 && shares.isAlone(shares.host() - number());
        }

        List<Step.Source> operands() {
            List<Step.Source> came = new ArrayList<>(1);
            if (number() > 0) {
                came.add(new Step.Source.Remote(shares.owner(shares.host() - 1, at()), !isUnfolded(number() - 1)));
            }
            return shares.after(came, own());
        }

        Volume sent() {
            boolean isHandedOn = folds() && owner != place.rank();
            int transfers = isHandedOn || !folds() ? 1 : 0;
            boolean isPartial = isHandedOn && !isUnfolded(number());
            return new Volume(transfers, isPartial ? 0 : transfers * own().count(), isPartial ? own().count() : 0);
        }

        Volume received() {
            int peers = folds() ? shares.peers().length : 0;
            int before = folds() && number() > 0 ? 1 : 0;
            boolean isPartial = before == 1 && !isUnfolded(number() - 1);
            return new Volume(
                    peers + before, (peers + (isPartial ? 0 : before)) * own().count(), isPartial ? own().count() : 0);
        }

        long scratch() {
            return folds() && owner != place.rank() && !isUnfolded(number()) ? own().count() : 0;
        }
    }

    @Override
    public Cost cost(Place place) {
        HostShares shares = new HostShares(place);
        Cost.Sum sent = new Cost.Sum();
        Cost.Sum received = new Cost.Sum();
        long scratch = 0;
        for (int owner = 0; owner < place.size(); owner++) {
            Hop hop = new Hop(shares, place, owner);
            sent.add(hop.sent());
            received.add(hop.received());
            scratch += hop.scratch();
        }
        int hops = shares.hosts() - 1;
        return Cost.of(hops + (shares.number() > 1 ? 1 : 0), sent.total(), received.total())
                .withHostSteps(hops)
                .withScratch(scratch);
    }
}
