package io.reactivecomm.internal.schedule;

import io.reactivecomm.internal.schedule.Cost.Volume;

/**
 * All-reduce as the direct one in rank order, but for its results: each crosses once to every other host, to one rank there, which tells
 * the others of its host.
 *
 * <pre>
 * two hosts of two ranks, chunk 0:   0.0 1.0 2.0 3.0 folded by rank 0: R0     0 ─R0→ 1, 2     2 ─R0→ 3
 * </pre>
 *
 * <p>It serves any layout: operands need no order of hosts. It moves fewer bytes than the chain of hosts where hosts have few ranks, since
 * operands cross as they are and wait for no other host.
 *
 * <p><b>In place.</b> As in {@link RankOrderAllReduce}: a result overwrites what its owner has folded already.
 *
 * <p><b>Cost.</b> 3 steps, the last within hosts. With p ranks on each of h hosts a host sends and receives (p+1)·S·(h−1)/h bytes, none of
 * which is a partial result.
 */
public final class HierarchicalDirectAllReduce implements Algorithm {

    @Override
    public String name() {
        return "hierarchical-direct";
    }

    @Override
    public Schedule schedule(Place place) {
        Layout layout = place.layout();
        int[] beside = HostShares.peersOf(layout, place.rank());
        StepList steps = new StepList();
        Span result = place.chunk(Buffer.OUTPUT, place.rank());
        int fold = steps.reduceScatter(place, rank -> place.chunk(Buffer.INPUT, rank), result, true);
        for (int host = 0; host < layout.hosts(); host++) {
            if (host != layout.host(place.rank())) {
                steps.send(layout.rank(host, layout.local(place.rank())), result, Wait.forElementsOf(fold));
            }
        }
        steps.sendAll(beside, result, Wait.forElementsOf(fold));
        for (int peer : beside) {
            steps.receive(peer, place.chunk(Buffer.OUTPUT, peer));
        }
        for (int owner = 0; owner < place.size(); owner++) {
            if (layout.isBetweenHosts(place.rank(), owner)) {
                takeFromAfar(steps, place, owner, beside);
            }
        }
        return steps.named(name()).over(layout, 0);
    }

    /** {@return the rank of this host that is told the result of a rank of another, and tells it to the others} */
    private static int teller(Place place, int owner) {
        return place.layout().rank(place.layout().host(place.rank()), place.layout().local(owner));
    }

    private static void takeFromAfar(StepList steps, Place place, int owner, int[] beside) {
        Span result = place.chunk(Buffer.OUTPUT, owner);
        int teller = teller(place, owner);
        if (teller != place.rank()) {
            steps.receive(teller, result);
            return;
        }
        int step = steps.receive(owner, result);
        steps.sendAll(beside, result, Wait.forElementsOf(step));
    }

    @Override
    public Cost cost(Place place) {
        Layout layout = place.layout();
        int others = place.size() - 1;
        int beside = layout.count(layout.host(place.rank())) - 1;
        long total = place.total(Buffer.INPUT);
        long own = place.chunk(Buffer.INPUT, place.rank()).count();
        int told = beside + layout.hosts() - 1;
        long forwards = 0;
        long forwarded = 0;
        for (int owner = 0; owner < place.size(); owner++) {
            if (layout.isBetweenHosts(place.rank(), owner) && teller(place, owner) == place.rank()) {
                forwards += beside;
                forwarded += beside * place.chunk(Buffer.INPUT, owner).count();
            }
        }
        Volume sent = Volume.of(others + told + forwards, total - own + told * own + forwarded);
        Volume received = Volume.of(2L * others, others * own + total - own);
        int between = layout.hosts() > 1 ? 2 : 0;
        int within = layout.hosts() > 1 && layout.mostPerHost() > 1 ? 1 : 0;
        return Cost.of(2 * place.oneStep() + within, sent, received).withHostSteps(between);
    }
}
