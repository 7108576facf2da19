package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Cost;
import io.reactivecomm.internal.schedule.Cost.Volume;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Broadcast in two levels: a tree of hosts, in each of which one rank, its leader, takes the elements, hands them on to other hosts' leaders and tells
 * the others of its host, who read them where they lie. The root leads its own host; of another one the rank at the root's place does.
 *
 * <p>Whatever the tree, the elements come to each host once.
 */
abstract sealed class HierarchicalBroadcast implements Algorithm
        permits HierarchicalChainBroadcast, HierarchicalBinomialBroadcast {

    /** {@return the host from which one takes the elements, both counted from the root's} */
    abstract int parent(int fromRoot);

    /** {@return the hosts to which one hands the elements on, counted from the root's} */
    abstract int[] children(int fromRoot, int hosts);

    /** {@return the steps between hosts that elements go to one, counted from the root's} */
    abstract int stepsTo(int fromRoot);

    /** {@return elements of a piece, or 0 for a usual one} */
    abstract long pieceElements(long total, int hosts);

    /** {@return a rank's host, counted around from the root's} */
    private static int fromRoot(Place place) {
        Layout layout = place.layout();
        return Math.floorMod(layout.host(place.rank()) - layout.host(place.root()), layout.hosts());
    }

    /** {@return the leader of the host at a place, counted around from the root's} */
    private static int leader(Place place, int fromRoot) {
        Layout layout = place.layout();
        return fromRoot == 0
                ? place.root()
                : layout.rank((layout.host(place.root()) + fromRoot) % layout.hosts(), layout.local(place.root()));
    }

    @Override
    public final Schedule schedule(Place place) {
        StepList steps = new StepList();
        int fromRoot = fromRoot(place);
        int leader = leader(place, fromRoot);
        int hosts = place.layout().hosts();
        if (leader != place.rank()) {
            steps.receive(leader, place.whole(Buffer.OUTPUT));
        } else if (fromRoot == 0) {
            handOn(steps, place, place.whole(Buffer.INPUT));
        } else {
            int receive = steps.receive(leader(place, parent(fromRoot)), place.whole(Buffer.OUTPUT));
            handOn(steps, place, place.whole(Buffer.OUTPUT), Wait.forElementsOf(receive));
        }
        return steps.named(name()).over(place.layout(), pieceElements(place.total(Buffer.INPUT), hosts));
    }

    private void handOn(StepList steps, Place place, Span elements, Wait... here) {
        for (int child : children(fromRoot(place), place.layout().hosts())) {
            steps.send(leader(place, child), elements, here);
        }
        steps.sendAll(HostShares.peersOf(place.layout(), place.rank()), elements, here);
    }

    @Override
    public final Cost cost(Place place) {
        int fromRoot = fromRoot(place);
        boolean leads = leader(place, fromRoot) == place.rank();
        int hosts = place.layout().hosts();
        int peers = place.layout().count(place.layout().host(place.rank())) - 1;
        long count = place.total(Buffer.INPUT);
        int sent = leads ? children(fromRoot, hosts).length + peers : 0;
        int received = place.rank() == place.root() ? 0 : 1;
        return Cost.of(steps(place), Volume.of(sent, sent * count), Volume.of(received, received * count))
                .withHostSteps(
                        IntStream.range(0, hosts).map(this::stepsTo).max().orElse(0))
                .withFillSteps(Math.max(0, fillSteps(hosts)), pieceElements(count, hosts), 1);
    }

    /** {@return the steps in which the busiest host only waits for the first piece} */
    abstract int fillSteps(int hosts);

    private int steps(Place place) {
        Layout layout = place.layout();
        int first = layout.host(place.root());
        int[] steps = new int[layout.hosts()];
        Arrays.setAll(steps, each -> stepsTo(each) + (layout.count((first + each) % layout.hosts()) > 1 ? 1 : 0));
        return Arrays.stream(steps).max().orElse(0);
    }
}
