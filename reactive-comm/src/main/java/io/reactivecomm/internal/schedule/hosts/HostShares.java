package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Span;
import io.reactivecomm.internal.schedule.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The shares in which the ranks of each host deal with a tensor, as one of them sees it.
 *
 * <p>There are as many shares as the host with most ranks has ranks. On every host the rank at place j owns share j; where there are fewer,
 * places go around. So the owners of a share stand in a row, one on each host, and whatever of a share crosses from host to host crosses
 * once, however many ranks a host has.
 *
 * <pre>
 *            share 0   share 1   share 2
 *   host 0   rank 0    rank 1    rank 2
 *   host 1   rank 3    rank 4    rank 3        it has two ranks
 * </pre>
 */
final class HostShares {

    private final Place place;
    private final Layout layout;
    private final int host;

    HostShares(Place place) {
        this.place = place;
        this.layout = place.layout();
        this.host = layout.host(place.rank());
    }

    /** {@return how many there are} */
    int number() {
        return layout.mostPerHost();
    }

    int host() {
        return host;
    }

    int hosts() {
        return layout.hosts();
    }

    /** {@return the elements of a share} */
    Span of(Buffer buffer, int share) {
        return place.whole(buffer).slice(share, number());
    }

    /** {@return the rank that owns a share on a host; hosts go around} */
    int owner(int onHost, int share) {
        return layout.rank(Math.floorMod(onHost, hosts()), share);
    }

    /** {@return the rank that owns a share on this rank's host} */
    int owner(int share) {
        return layout.rank(host, share);
    }

    /** {@return whether this rank is at a place of its host} */
    boolean isOwn(int share) {
        return owner(share) == place.rank();
    }

    /** {@return whether that host, which may be counted around, has one rank alone: what it hands on is elements and no partial result} */
    boolean isAlone(int onHost) {
        return layout.count(Math.floorMod(onHost, hosts())) == 1;
    }

    /** {@return the other ranks of this host} */
    int[] peers() {
        return peersOf(layout, place.rank());
    }

    static int[] peersOf(Layout layout, int rank) {
        int host = layout.host(rank);
        int count = layout.count(host);
        int[] peers = new int[count - 1];
        Arrays.setAll(peers, i -> layout.rank(host, layout.local(rank) + 1 + i));
        return peers;
    }

    /** {@return the elements of all ranks of this host, in rank order, behind what came before} */
    List<Step.Source> after(List<Step.Source> before, Span own) {
        List<Step.Source> sources = new ArrayList<>(before);
        for (int local = 0; local < layout.count(host); local++) {
            int rank = layout.rank(host, local);
            if (rank == place.rank()) {
                sources.add(new Step.Source.Local(own));
            } else {
                sources.add(new Step.Source.Remote(rank, false));
            }
        }
        return sources;
    }
}
