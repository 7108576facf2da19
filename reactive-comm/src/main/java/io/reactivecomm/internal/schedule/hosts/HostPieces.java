package io.reactivecomm.internal.schedule.hosts;

import io.reactivecomm.internal.schedule.Buffer;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;

/**
 * The lengths of pieces in which a tensor goes along hosts: so short that filling the way along all of them takes a twentieth of what the whole
 * takes on it, or less. Within one host it is 0, which is the usual length.
 */
final class HostPieces {

    /** The longest that pieces may take to fill the way, as a part of what the whole tensor takes on it: a twentieth. */
    private static final int PIECES_A_HOP = 20;

    /**
     * The longest piece of a share that is folded: 128 KiB of the usual accumulators. On the way out of a host between others results wait behind
     * partial ones, for longer where pieces are longer: 64 MiB along four hosts take 1.08 of the wire's time instead of 1.11.
     */
    private static final int MOST_FOLDED_ELEMENTS = 32 << 10;

    private HostPieces() {}

    /** {@return the elements of a piece where as many shares as the host with most ranks has ranks are folded along the hosts at a time} */
    static long foldedElements(Place place) {
        Layout layout = place.layout();
        return Math.min(
                elements(place.total(Buffer.INPUT), layout.hosts(), layout.mostPerHost()), MOST_FOLDED_ELEMENTS);
    }

    /** {@return the elements of a piece where the tensor is handed on whole, and nothing comes back} */
    static long wholeElements(long total, int hosts) {
        return elements(total, hosts, 1);
    }

    private static long elements(long total, int hosts, int streams) {
        int hops = hosts - 1;
        return hops == 0 ? 0 : Math.max(1, total / ((long) PIECES_A_HOP * hops * streams));
    }
}
