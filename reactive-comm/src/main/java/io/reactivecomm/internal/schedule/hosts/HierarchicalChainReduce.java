package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Cost.Volume;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;

/**
 * Reduce in rank order where hosts hold consecutive ranks: each share is folded along the hosts, as in {@link HierarchicalChainAllReduce}, and the owner on
 * the last host hands it to the root.
 *
 * <pre>
 * three hosts of two ranks, root 1, share 0, which ranks 0, 2 and 4 own:   0: x0+x1 → 2: …+x2+x3 → 4: …+x4+x5 → 1
 * </pre>
 *
 * <p>Partial results travel in the accumulator's type, so that 16-bit floating point rounds once, at the root.
 *
 * <p><b>In place.</b> The root's tensor takes element i of the result only after element i went along all hosts.
 *
 * <p><b>Cost.</b> h−1 steps between h hosts, one more to a root that is not on the last, and at most one within a host before and after. Each host sends at
 * most S bytes, of partial results; a root's host amid the chain receives 2·S. An owner needs its share as scratch.
 */
public final class HierarchicalChainReduce implements Algorithm {

    @Override
    public String name() {
        return "hierarchical-chain";
    }

    @Override
    public Schedule schedule(Place place) {
        HostShares shares = new HostShares(place);
        StepList steps = new StepList();
        HostChain chain = new HostChain(shares, steps);
        boolean isRoot = place.rank() == place.root();
        int[] folds = new int[shares.number()];
        for (int share = 0; share < shares.number(); share++) {
            folds[share] = chain.fold(shares.of(Buffer.INPUT, share), share, shares.of(Buffer.OUTPUT, share), isRoot);
        }
        for (int share = 0; share < shares.number(); share++) {
            boolean isHere = folds[share] != HostChain.NOT_LAST;
            if (isRoot && !isHere) {
                steps.finishFrom(lastOwner(shares, share), shares.of(Buffer.OUTPUT, share));
            } else if (!isRoot && isHere) {
                steps.send(place.root(), steps.foldedBy(folds[share]), Wait.forElementsOf(folds[share]));
            }
        }
        return steps.named(name(), chain.scratchCount()).over(place.layout(), HostPieces.foldedElements(place));
    }

    private static int lastOwner(HostShares shares, int share) {
        return shares.owner(shares.hosts() - 1, share);
    }

    @Override
    public Cost cost(Place place) {
        HostShares shares = new HostShares(place);
        HostChain chain = new HostChain(shares, new StepList());
        boolean isRoot = place.rank() == place.root();
        Cost.Sum sent = new Cost.Sum();
        Cost.Sum received = new Cost.Sum();
        long scratch = 0;
        boolean hasLast = false;
        for (int share = 0; share < shares.number(); share++) {
            long count = shares.of(Buffer.INPUT, share).count();
            int last = lastOwner(shares, share);
            int handed = !isRoot && last == place.rank() ? 1 : 0;
            int taken = isRoot && last != place.rank() ? 1 : 0;
            hasLast |= last != place.root();
            sent.add(chain.sent(share, count));
            sent.add(new Volume(handed, 0, handed * count));
            received.add(chain.received(share, count));
            received.add(new Volume(taken, 0, taken * count));
            scratch += chain.scratch(share, count, isRoot);
        }
        int between = shares.hosts() - 1 + (place.layout().host(place.root()) == shares.hosts() - 1 ? 0 : 1);
        return Cost.of(chain.depth() + (hasLast ? 1 : 0), sent.total(), received.total())
                .withHostSteps(between)
                .withFillSteps(Math.max(0, between - 1), HostPieces.foldedElements(place), shares.number())
                .withScratch(scratch);
    }
}
