package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Cost.Volume;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;

/**
 * Reduce-scatter in rank order where hosts hold consecutive ranks: each part is folded along the hosts, by the ranks at its owner's place, and the last one
 * hands it to the owner.
 *
 * <pre>
 * three hosts of two ranks, part 1:   1: 0.1+1.1 → 3: …+2.1+3.1 → 5: …+4.1+5.1 → 1
 * </pre>
 *
 * <p><b>In place.</b> The own part is the only one that is written, when all have been folded.
 *
 * <p><b>Cost.</b> h−1 steps between h hosts, one more to the owner, and one within the first. Each host sends at most S bytes, of partial results. Scratch
 * for each part that a rank hands on: S/p where there are p ranks on each host.
 */
public final class HierarchicalChainReduceScatter implements Algorithm {

    @Override
    public String name() {
        return "hierarchical-chain";
    }

    @Override
    public Schedule schedule(Place place) {
        HostShares shares = new HostShares(place);
        StepList steps = new StepList();
        HostChain chain = new HostChain(shares, steps);
        int[] folds = new int[place.size()];
        for (int owner = 0; owner < place.size(); owner++) {
            Span part = place.part(Buffer.INPUT, owner);
            folds[owner] =
                    chain.fold(part, place.layout().local(owner), place.whole(Buffer.OUTPUT), owner == place.rank());
        }
        for (int owner = 0; owner < place.size(); owner++) {
            boolean isHere = folds[owner] != HostChain.NOT_LAST;
            if (!isHere && owner == place.rank()) {
                steps.finishFrom(last(shares, place, owner), place.whole(Buffer.OUTPUT));
            } else if (isHere && owner != place.rank()) {
                steps.send(owner, steps.foldedBy(folds[owner]), Wait.forElementsOf(folds[owner]));
            }
        }
        return steps.named(name(), chain.scratchCount()).over(place.layout(), HostPieces.foldedElements(place));
    }

    /** {@return who is the last to fold a rank's part} */
    private static int last(HostShares shares, Place place, int owner) {
        return shares.owner(shares.hosts() - 1, place.layout().local(owner));
    }

    @Override
    public Cost cost(Place place) {
        HostShares shares = new HostShares(place);
        HostChain chain = new HostChain(shares, new StepList());
        Cost.Sum sent = new Cost.Sum();
        Cost.Sum received = new Cost.Sum();
        long scratch = 0;
        for (int owner = 0; owner < place.size(); owner++) {
            int at = place.layout().local(owner);
            long count = place.part(Buffer.INPUT, owner).count();
            int last = last(shares, place, owner);
            int handed = owner != place.rank() && last == place.rank() ? 1 : 0;
            int taken = owner == place.rank() && last != place.rank() ? 1 : 0;
            sent.add(chain.sent(at, count));
            sent.add(new Volume(handed, 0, handed * count));
            received.add(chain.received(at, count));
            received.add(new Volume(taken, 0, taken * count));
            scratch += chain.scratch(at, count, owner == place.rank());
        }
        int toOwner = shares.hosts() == 1 ? 0 : 1;
        int between = shares.hosts() - 1 + toOwner;
        return Cost.of(chain.depth() + toOwner, sent.total(), received.total())
                .withHostSteps(between)
                .withFillSteps(Math.max(0, between - 1), HostPieces.foldedElements(place), shares.number())
                .withScratch(scratch);
    }
}
