package io.reactivecomm.schedule;

/**
 * All-gather where every rank sends its input straight to every other.
 *
 * <pre>
 * five ranks:   0 → 1 2 3 4     1 → 2 3 4 0     2 → 3 4 0 1     3 → 4 0 1 2     4 → 0 1 2 3
 * </pre>
 *
 * <p><b>In place.</b> The copy of the own part falls away when input is that part.
 *
 * <p><b>Cost.</b> 1 step; each rank sends and receives n−1 parts.
 */
public final class DirectAllGather implements Algorithm {

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public Schedule schedule(Place place) {
        StepList steps = new StepList();
        for (int peer : Peers.after(place)) {
            steps.send(peer, place.whole(Buffer.INPUT));
            steps.receive(peer, place.part(Buffer.OUTPUT, peer));
        }
        steps.copy(place.whole(Buffer.INPUT), place.part(Buffer.OUTPUT, place.rank()));
        return steps.named(name());
    }
}
