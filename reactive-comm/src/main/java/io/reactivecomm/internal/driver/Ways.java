package io.reactivecomm.internal.driver;

import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.GrantWatch;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.link.Link;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ways from all peers to one rank, each with a gauge unless its link knows how much keeps it busy, as within a machine. They stand between links
 * and engine: so they see whatever delays a link's events, and the engine reads no clock.
 *
 * <p><b>Threads.</b> The loop.
 */
final class Ways implements GrantWatch {

    private final Loop loop;
    private final @Nullable WayGauge[] gauges;

    /** @param links of one rank to all others */
    Ways(Loop loop, List<Link> links, EngineLimits limits) {
        this.loop = loop;
        this.gauges = new WayGauge[links.size() + 1];
        for (Link link : links) {
            if (link.traits().hasUnknownWay()) {
                gauges[link.peer()] = new WayGauge(limits.windowBytes(), limits.pieceBytes());
            }
        }
    }

    @Override
    public void asked(int peer, long grant, int lengthBytes, boolean isAhead) {
        WayGauge gauge = gauges[peer];
        if (gauge != null) {
            gauge.asked(grant, lengthBytes, isAhead, loop.nanoTime());
        }
    }

    /** The first byte of a piece is here. */
    void began(int peer, long grant) {
        WayGauge gauge = gauges[peer];
        if (gauge != null) {
            gauge.began(grant, loop.nanoTime());
        }
    }

    /** A piece is here. {@return whether {@link #windowBytes} has changed} */
    boolean ended(int peer, long grant, long now) {
        WayGauge gauge = gauges[peer];
        return gauge != null && gauge.ended(grant, now);
    }

    /** A piece does not come. */
    void withdrawn(int peer, long grant) {
        WayGauge gauge = gauges[peer];
        if (gauge != null) {
            gauge.withdrawn(grant);
        }
    }

    /** {@return how many bytes under way from a peer keep its way busy; 0 if its link knows that} */
    long windowBytes(int peer) {
        WayGauge gauge = gauges[peer];
        return gauge == null ? 0 : gauge.windowBytes();
    }
}
