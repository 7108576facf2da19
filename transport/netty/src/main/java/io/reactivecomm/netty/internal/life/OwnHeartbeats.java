package io.reactivecomm.netty.internal.life;

import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.LoopWatchdog;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The heartbeats of this rank: what they say of itself and of others, and which way they go. They go as datagrams, and by the connection.
 * Where datagrams pass in both directions, that carries one in {@value #SPARSE}.
 *
 * <p><b>Threads.</b> The control thread.
 */
final class OwnHeartbeats {

    private static final int SPARSE = 10;

    private final int rank;
    private final Timers timers;
    private final HeartbeatTerms terms;
    private final FailureDetector detector;
    private final LoopWatchdog watchdog;
    private final HeartbeatDatagrams datagrams;
    private BitSet toldCuts = new BitSet();
    private BitSet toldLost = new BitSet();
    private long sequence;

    OwnHeartbeats(
            int rank,
            Timers timers,
            HeartbeatTerms terms,
            FailureDetector detector,
            LoopWatchdog watchdog,
            HeartbeatDatagrams datagrams) {
        this.rank = rank;
        this.timers = timers;
        this.terms = terms;
        this.detector = detector;
        this.watchdog = watchdog;
        this.datagrams = datagrams;
    }

    /** The part on this rank that all heartbeats of one time share. A held loop's stack is taken once for all peers. */
    private record Own(int silentMillis, int heldUpMillis, String doing) {}

    /** {@return whether there is more to say than when all were told last} */
    boolean hasNews() {
        return !toldCuts.equals(detector.cuts()) || !toldLost.equals(detector.lost());
    }

    /** Tells all. */
    void send(Collection<ControlPeer> peers, long now, boolean isUneasy) {
        toldCuts = (BitSet) detector.cuts().clone();
        toldLost = (BitSet) detector.lost().clone();
        Own own = own(now);
        // A write may fail at once, and then its peer is no longer one.
        for (ControlPeer peer : List.copyOf(peers)) {
            Heartbeat beat = beatFor(peer, own, now);
            datagrams.send(beat);
            boolean mayWait = !isUneasy && peer.hearsDatagrams() && hears(peer, now);
            if (!own.doing.isEmpty()) {
                // The datagram has no text and may be the first to arrive: the one with text counts as newer.
                peer.send(beatFor(peer, own, now));
            } else if (!mayWait || peer.isDue(SPARSE)) {
                peer.send(beat);
            }
        }
    }

    /** Tells one, by a datagram alone: the reason follows on the connection. */
    void sendDatagram(ControlPeer peer, long now) {
        datagrams.send(beatFor(peer, own(now), now));
    }

    private boolean hears(ControlPeer peer, long now) {
        return peer.hasSentDatagrams() && now - peer.datagramAt() < 5 * terms.beatNanos();
    }

    private Own own(long now) {
        long heldUp = watchdog.heldUpNanos(now);
        return new Own(
                (int) TimeUnit.NANOSECONDS.toMillis(detector.longestSilence(now)),
                (int) TimeUnit.NANOSECONDS.toMillis(heldUp),
                heldUp == 0 ? "" : watchdog.doing());
    }

    private Heartbeat beatFor(ControlPeer peer, Own own, long now) {
        return new Heartbeat(
                rank,
                peer.number(),
                ++sequence,
                hears(peer, now),
                own.silentMillis,
                detector.suspects(),
                detector.cuts(),
                detector.lost(),
                own.heldUpMillis,
                own.doing,
                // Read anew: the beats before this one, and the stack of a held loop, have taken their time.
                peer.clock().stamps(timers.nanoTime()));
    }
}
