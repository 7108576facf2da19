package io.reactivecomm.internal.schedule;

/** The orders in which a rank goes through the others. */
public final class PeerOrder {

    private PeerOrder() {}

    /**
     * {@return all other ranks, beginning with the next one}
     * Each rank begins elsewhere, so that not all of them send to rank 0 first.
     */
    public static int[] after(Place place) {
        int[] peers = new int[place.size() - 1];
        for (int i = 0; i < peers.length; i++) {
            peers[i] = (place.rank() + 1 + i) % place.size();
        }
        return peers;
    }
}
