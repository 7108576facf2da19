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
 * All-reduce around a ring of hosts: the owners of a share, one on each host, form a ring, on which each chunk of the share goes around once
 * to be folded and once to be told. At each host the elements of all its ranks join, read where they lie, and all its ranks are told.
 *
 * <pre>
 * three hosts of two ranks, share 0, which ranks 0, 2 and 4 own, chunk 1:
 *   rank 4: x4+x5 → 0     rank 0: …+x0+x1 → 2     rank 2: …+x2+x3 = R     2 ─R→ 3, 4     4 ─R→ 5, 0     0 ─R→ 1
 * </pre>
 *
 * <p>It orders operands by the layout: the result is the same on all ranks and in all runs of one layout, and not that of the rank order.
 *
 * <p><b>In place.</b> A chunk's result comes only after all its elements have been folded, on every rank.
 *
 * <p><b>Cost.</b> 2·(h−1) steps between h hosts, and one within a host before and after them. Each host sends and receives 2·S·(h−1)/h bytes,
 * half of them partial results. Two chunks of scratch for each share that a rank owns.
 */
public final class HierarchicalRingAllReduce implements Algorithm {

    @Override
    public String name() {
        return "hierarchical-ring";
    }

    @Override
    public Schedule schedule(Place place) {
        HostShares shares = new HostShares(place);
        StepList steps = new StepList();
        int[] folds = new int[shares.number()];
        long scratch = 0;
        for (int share = 0; share < folds.length; share++) {
            if (shares.isOwn(share)) {
                Ring ring = new Ring(shares, share, scratch);
                folds[share] = ring.reduce(steps);
                scratch += ring.scratchCount();
            } else {
                for (int hop = 0; hop < shares.hosts(); hop++) {
                    steps.send(shares.owner(share), chunk(shares, Buffer.INPUT, share, -1 - hop));
                }
            }
        }
        for (int share = 0; share < folds.length; share++) {
            tell(steps, shares, share, folds[share]);
        }
        return steps.named(name(), scratch).over(place.layout(), HostPieces.foldedElements(place));
    }

    /** {@return the chunk of a share that ends at the host so many places on} */
    private static Span chunk(HostShares shares, Buffer buffer, int share, int placesOn) {
        return shares.of(buffer, share).slice(Math.floorMod(shares.host() + placesOn, shares.hosts()), shares.hosts());
    }

    /** The first half of a share's way: the owner's part. */
    private record Ring(HostShares shares, int share, long scratchFrom) {

        /** {@return the step that leaves the chunk of this host in its place} */
        int reduce(StepList steps) {
            int hops = shares.hosts() - 1;
            int[] sends = new int[hops];
            for (int hop = 0; hop < hops; hop++) {
                sends[hop] = hop == 0 && shares.isAlone(shares.host())
                        ? steps.send(next(), own(0))
                        : handOn(steps, hop, emptied(sends, hop));
            }
            return steps.fold(chunk(shares, Buffer.OUTPUT, share, 0), operands(hops), true);
        }

        private int next() {
            return shares.owner(shares.host() + 1, share);
        }

        private Span own(int hop) {
            return chunk(shares, Buffer.INPUT, share, -1 - hop);
        }

        private int handOn(StepList steps, int hop, Wait... emptied) {
            Span slot = new Span(Buffer.SCRATCH, scratchFrom + hop % 2 * longest(), own(hop).count());
            int fold = steps.fold(slot, operands(hop), false, emptied);
            return steps.send(next(), slot, Wait.forElementsOf(fold));
        }

        /** {@return what must have left before a slot is filled again; what went unfolded was in none} */
        private Wait[] emptied(int[] sends, int hop) {
            boolean isFirstUse = hop < 2 || (hop == 2 && shares.isAlone(shares.host()));
            return isFirstUse ? new Wait[0] : new Wait[] {Wait.forAllOf(sends[hop - 2])};
        }

        private List<Step.Source> operands(int hop) {
            List<Step.Source> came = new ArrayList<>(1);
            if (hop > 0) {
                int before = shares.host() - 1;
                came.add(new Step.Source.Remote(shares.owner(before, share), hop > 1 || !shares.isAlone(before)));
            }
            return shares.after(came, own(hop));
        }

        private long longest() {
            return shares.of(Buffer.INPUT, share).slice(0, shares.hosts()).count();
        }

        long scratchCount() {
            int folded = shares.hosts() - 1 - (shares.isAlone(shares.host()) ? 1 : 0);
            return folded > 0 ? 2 * longest() : 0;
        }
    }

    /** The second half of a share's way: its chunks go on around the ring, and to the others of each host. */
    private static void tell(StepList steps, HostShares shares, int share, int fold) {
        int step = fold;
        for (int hop = 0; hop < shares.hosts(); hop++) {
            Span result = chunk(shares, Buffer.OUTPUT, share, -hop);
            if (!shares.isOwn(share)) {
                steps.receive(shares.owner(share), result);
                continue;
            }
            if (hop > 0) {
                step = steps.receive(shares.owner(shares.host() - 1, share), result);
            }
            if (hop < shares.hosts() - 1) {
                steps.send(shares.owner(shares.host() + 1, share), result, Wait.forElementsOf(step));
            }
            steps.sendAll(shares.peers(), result, Wait.forElementsOf(step));
        }
    }

    @Override
    public Cost cost(Place place) {
        HostShares shares = new HostShares(place);
        Cost.Sum sent = new Cost.Sum();
        Cost.Sum received = new Cost.Sum();
        long scratch = 0;
        for (int share = 0; share < shares.number(); share++) {
            sent.add(moved(shares, share, 0));
            received.add(moved(shares, share, -1));
            scratch += shares.isOwn(share) ? new Ring(shares, share, 0).scratchCount() : 0;
        }
        int hops = 2 * (shares.hosts() - 1);
        return Cost.of(hops + stepsWithin(shares), sent.total(), received.total())
                .withHostSteps(hops)
                .withScratch(scratch);
    }

    /**
     * {@return what a rank moves of a share}
     * Within its host all chunks of operands one way and of results the other, for each of an owner's peers; and if it is the owner, what one host
     * hands on to the next: all chunks but the last as they are folded, and all but the first as they are told.
     *
     * @param from the host that hands on, in places from this rank's: 0 for what it sends, −1 for what it receives
     */
    private static Volume moved(HostShares shares, int share, int from) {
        long count = shares.of(Buffer.INPUT, share).count();
        int pairs = shares.isOwn(share) ? shares.peers().length : 1;
        int hops = shares.isOwn(share) ? shares.hosts() - 1 : 0;
        boolean isUnfolded = hops > 0 && shares.isAlone(shares.host() + from);
        long folded =
                hops == 0 ? 0 : count - chunk(shares, Buffer.INPUT, share, from).count();
        long unfolded =
                isUnfolded ? chunk(shares, Buffer.INPUT, share, from - 1).count() : 0;
        long told = hops == 0
                ? 0
                : count - chunk(shares, Buffer.INPUT, share, from + 1).count();
        return new Volume(
                (long) pairs * shares.hosts() + 2L * hops, pairs * count + unfolded + told, folded - unfolded);
    }

    /** {@return the most steps within hosts on a chunk's way: one where it starts, and one where it ends} */
    private static int stepsWithin(HostShares shares) {
        int most = 0;
        for (int end = 0; end < shares.hosts(); end++) {
            most = Math.max(most, (shares.isAlone(end + 1) ? 0 : 1) + (shares.isAlone(end - 1) ? 0 : 1));
        }
        return most;
    }
}
