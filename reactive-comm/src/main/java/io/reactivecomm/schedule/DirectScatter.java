package io.reactivecomm.schedule;

/**
 * Scatter where the root sends every rank its part straight away.
 *
 * <pre>
 * five ranks, root 2:   2 → 3 4 0 1
 * </pre>
 *
 * <p><b>In place.</b> The copy of the root's own part falls away when its output is that part.
 *
 * <p><b>Cost.</b> 1 step; the root sends n−1 parts. Parts may differ in length.
 */
public final class DirectScatter implements Algorithm {

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        if (place.rank() != place.root()) {
            steps.receive(place.root(), place.whole(Buffer.OUTPUT));
            return steps.named(name());
        }
        for (int peer : Peers.after(place)) {
            steps.send(peer, place.part(Buffer.INPUT, peer));
        }
        steps.copy(place.part(Buffer.INPUT, place.rank()), place.whole(Buffer.OUTPUT));
        return steps.named(name());
    }

    @Override
    public Cost cost(Place place) {
        long own = place.total(Buffer.OUTPUT);
        return place.rank() == place.root()
                ? Cost.of(place.oneStep(), Cost.Volume.of(place.size() - 1, place.total(Buffer.INPUT) - own), Cost.Volume.NONE)
                : Cost.of(1, Cost.Volume.NONE, Cost.Volume.of(1, own));
    }
}
