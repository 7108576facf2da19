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
 * All-reduce in rank order where hosts hold consecutive ranks: each share is folded along the hosts, from the first to the last, and its
 * result comes back the same way. What crosses between two hosts is one partial result and one result, however many ranks they have.
 *
 * <pre>
 * three hosts of two ranks, share 0, which ranks 0, 2 and 4 own; x1 is read where it lies, by rank 0
 *   rank 0: x0+x1 → 2     rank 2: …+x2+x3 → 4     rank 4: …+x4+x5 = R     4 ─R→ 5, 2     2 ─R→ 3, 0     0 ─R→ 1
 * </pre>
 *
 * <p>The operands of a host are folded on top of what came, one after the other: the bits are those of the fold in rank order. Partial
 * results travel in the accumulator's type.
 *
 * <p><b>In place.</b> A result comes only after all elements of its place have been folded, on every rank.
 *
 * <p><b>Cost.</b> 2·(h−1) steps between h hosts, and one within a host before and after them. Each host sends and receives at most S bytes
 * where there are two, else 2·S; partial results count as accumulator elements. An owner needs its share as scratch, but for those of the last host.
 */
public final class HierarchicalChainAllReduce implements Algorithm {

    @Override
    public String name() {
        return "hierarchical-chain";
    }

    @Override
    public Schedule schedule(Place place) {
        HostShares shares = new HostShares(place);
        StepList steps = new StepList();
        HostChain chain = new HostChain(shares, steps);
        int[] folds = new int[shares.number()];
        for (int share = 0; share < shares.number(); share++) {
            folds[share] = chain.fold(shares.of(Buffer.INPUT, share), share, shares.of(Buffer.OUTPUT, share), true);
        }
        for (int share = 0; share < shares.number(); share++) {
            tell(steps, shares, share, folds[share]);
        }
        return steps.named(name(), chain.scratchCount()).over(place.layout(), HostPieces.foldedElements(place));
    }

    /** Takes a share's result and passes it on, to the host before and to the others of this one. */
    private static void tell(StepList steps, HostShares shares, int share, int fold) {
        Span result = shares.of(Buffer.OUTPUT, share);
        if (!shares.isOwn(share)) {
            steps.receive(shares.owner(share), result);
            return;
        }
        int step = fold == HostChain.NOT_LAST ? steps.receive(shares.owner(shares.host() + 1, share), result) : fold;
        if (shares.host() > 0) {
            steps.send(shares.owner(shares.host() - 1, share), result, Wait.forElementsOf(step));
        }
        steps.sendAll(shares.peers(), result, Wait.forElementsOf(step));
    }

    @Override
    public Cost cost(Place place) {
        HostShares shares = new HostShares(place);
        HostChain chain = new HostChain(shares, new StepList());
        int peers = shares.peers().length;
        Cost.Sum sent = new Cost.Sum();
        Cost.Sum received = new Cost.Sum();
        long scratch = 0;
        for (int share = 0; share < shares.number(); share++) {
            long count = shares.of(Buffer.INPUT, share).count();
            int told = shares.isOwn(share) ? peers + (chain.isFirst() ? 0 : 1) : 0;
            int results = shares.isOwn(share) && chain.isLast() ? 0 : 1;
            sent.add(chain.sent(share, count));
            sent.add(Volume.of(told, told * count));
            received.add(chain.received(share, count));
            received.add(Volume.of(results, results * count));
            scratch += chain.scratch(share, count, true);
        }
        int hops = 2 * (shares.hosts() - 1);
        int fill = shares.hosts() > 2 ? hops - 2 : hops / 2;
        return Cost.of(2 * chain.depth(), sent.total(), received.total())
                .withHostSteps(hops)
                .withFillSteps(fill, HostPieces.foldedElements(place), shares.number())
                .withScratch(scratch);
    }
}
