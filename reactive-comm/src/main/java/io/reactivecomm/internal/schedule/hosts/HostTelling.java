package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.Cost.Volume;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.StepList;
import io.reactivecomm.internal.schedule.Wait;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/**
 * The way of what each rank has to tell all others: to the ranks of its host, and once to every other host, to the rank at its place there, which tells
 * the others of that host. So it crosses between two hosts once, however many ranks they have.
 */
final class HostTelling {

    private final Place place;
    private final Layout layout;
    private final StepList steps;
    private final int[] beside;

    HostTelling(Place place, StepList steps) {
        this.place = place;
        this.layout = place.layout();
        this.steps = steps;
        this.beside = HostShares.peersOf(layout, place.rank());
    }

    /** Sends what this rank has to tell. */
    void send(Span own, Wait... ready) {
        for (int host = 0; host < layout.hosts(); host++) {
            if (host != layout.host(place.rank())) {
                steps.send(layout.rank(host, layout.local(place.rank())), own, ready);
            }
        }
        steps.sendAll(beside, own, ready);
    }

    /** Receives what the others tell, and passes on what comes from afar. Those beside come first: both ends count so. */
    void receive(IntFunction<Span> places) {
        for (int peer : beside) {
            steps.receive(peer, places.apply(peer));
        }
        for (int owner = 0; owner < place.size(); owner++) {
            if (layout.isBetweenHosts(place.rank(), owner)) {
                receiveFromAfar(owner, places.apply(owner));
            }
        }
    }

    private void receiveFromAfar(int owner, Span told) {
        int teller = teller(owner);
        if (teller != place.rank()) {
            steps.receive(teller, told);
            return;
        }
        steps.sendAll(beside, told, Wait.forElementsOf(steps.receive(owner, told)));
    }

    /** {@return the rank of this host that hears a rank of another} */
    private int teller(int owner) {
        return layout.rank(layout.host(place.rank()), layout.local(owner));
    }

    /** {@return what this rank sends: its own to its host and the others, and for each of which it hears to its host} */
    Volume sent(IntToLongFunction counts) {
        long transfers = beside.length + layout.hosts() - 1L;
        long elements = transfers * counts.applyAsLong(place.rank());
        for (int owner = 0; owner < place.size(); owner++) {
            if (layout.isBetweenHosts(place.rank(), owner) && teller(owner) == place.rank()) {
                transfers += beside.length;
                elements += beside.length * counts.applyAsLong(owner);
            }
        }
        return Volume.of(transfers, elements);
    }

    /** {@return the steps: one to another rank, and one more within a host to which it came from another} */
    int depth() {
        return place.oneStep() + (layout.hosts() > 1 && layout.mostPerHost() > 1 ? 1 : 0);
    }
}
