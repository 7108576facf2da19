package io.reactivecomm.internal.schedule;

import io.reactivecomm.internal.schedule.Cost.Volume;
import java.util.List;

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
        int[] folds = new int[shares.number()];
        long scratch = 0;
        for (int share = 0; share < folds.length; share++) {
            if (!shares.isOwn(share)) {
                steps.send(shares.owner(share), shares.of(Buffer.INPUT, share));
            } else if (isLast(shares)) {
                folds[share] = steps.fold(shares.of(Buffer.OUTPUT, share), operands(shares, share), true);
            } else {
                scratch += handOn(steps, shares, share, scratch);
            }
        }
        for (int share = 0; share < folds.length; share++) {
            tell(steps, shares, share, folds[share]);
        }
        return steps.named(name(), scratch).over(place.layout(), shares.pieceElements());
    }

    private static boolean isFirst(HostShares shares) {
        return shares.host() == 0;
    }

    private static boolean isLast(HostShares shares) {
        return shares.host() == shares.hosts() - 1;
    }

    /** {@return whether a host's contribution leaves as it is: there is nothing to fold it with} */
    private static boolean startsUnfolded(HostShares shares) {
        return isFirst(shares) && shares.isAlone(0);
    }

    private static List<Step.Source> operands(HostShares shares, int share) {
        int before = shares.host() - 1;
        List<Step.Source> came = before < 0
                ? List.of()
                : List.of(new Step.Source.Remote(shares.owner(before, share), before > 0 || !shares.isAlone(0)));
        return shares.after(came, shares.of(Buffer.INPUT, share));
    }

    /** Folds a share and sends it to the next host. {@return the scratch that it takes, from that element on} */
    private static long handOn(StepList steps, HostShares shares, int share, long scratchFrom) {
        int next = shares.owner(shares.host() + 1, share);
        Span own = shares.of(Buffer.INPUT, share);
        if (startsUnfolded(shares)) {
            steps.send(next, own);
            return 0;
        }
        Span folded = new Span(Buffer.SCRATCH, scratchFrom, own.count());
        steps.send(next, folded, Wait.forElementsOf(steps.fold(folded, operands(shares, share), false)));
        return own.count();
    }

    /** Takes a share's result and passes it on, to the host before and to the others of this one. */
    private static void tell(StepList steps, HostShares shares, int share, int fold) {
        Span result = shares.of(Buffer.OUTPUT, share);
        if (!shares.isOwn(share)) {
            steps.receive(shares.owner(share), result);
            return;
        }
        int step = isLast(shares) ? fold : steps.receive(shares.owner(shares.host() + 1, share), result);
        if (!isFirst(shares)) {
            steps.send(shares.owner(shares.host() - 1, share), result, Wait.forElementsOf(step));
        }
        steps.sendAll(shares.peers(), result, Wait.forElementsOf(step));
    }

    @Override
    public Cost cost(Place place) {
        HostShares shares = new HostShares(place);
        Volume sent = Volume.NONE;
        Volume received = Volume.NONE;
        long scratch = 0;
        for (int share = 0; share < shares.number(); share++) {
            long count = shares.of(Buffer.INPUT, share).count();
            sent = sent.plus(sent(shares, share, count));
            received = received.plus(received(shares, share, count));
            scratch += shares.isOwn(share) && !isLast(shares) && !startsUnfolded(shares) ? count : 0;
        }
        int hops = 2 * (shares.hosts() - 1);
        int within = shares.isAlone(0) ? 0 : 2;
        int fill = shares.hosts() > 2 ? hops - 2 : hops / 2;
        return Cost.of(hops + within, sent, received)
                .withHostSteps(hops)
                .withFillSteps(fill, shares.pieceElements() * shares.number())
                .withScratch(scratch);
    }

    /** The operand, if the share is another's; else the folded share to the next host, and the result to the one before and the peers. */
    private static Volume sent(HostShares shares, int share, long count) {
        if (!shares.isOwn(share)) {
            return Volume.of(1, count);
        }
        int told = shares.peers().length + (isFirst(shares) ? 0 : 1);
        Volume results = Volume.of(told, told * count);
        if (isLast(shares)) {
            return results;
        }
        return results.plus(Volume.ofOne(count, !startsUnfolded(shares)));
    }

    /** The result, if the share is another's; else the operands of the peers, what the host before folded, and the result. */
    private static Volume received(HostShares shares, int share, long count) {
        if (!shares.isOwn(share)) {
            return Volume.of(1, count);
        }
        int elements = shares.peers().length + (isLast(shares) ? 0 : 1);
        Volume within = Volume.of(elements, elements * count);
        if (isFirst(shares)) {
            return within;
        }
        boolean isUnfolded = shares.host() == 1 && shares.isAlone(0);
        return within.plus(Volume.ofOne(count, !isUnfolded));
    }
}
