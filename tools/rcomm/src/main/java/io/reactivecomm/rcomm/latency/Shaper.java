package io.reactivecomm.rcomm.latency;

import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The shaping of all links of one rank: {@link LinkShape}.
 *
 * <p><b>Threads.</b> {@link #shaped} any; {@link #events} the loop.
 */
public final class Shaper {

    private final Loop loop;
    private final LinkShape shape;
    private final DelayedSends departures;
    private final Map<Link, ShapedLink> links = new ConcurrentHashMap<>();

    public Shaper(Loop loop, LinkShape shape) {
        this.loop = loop;
        this.shape = shape;
        this.departures = new DelayedSends(loop, shape);
    }

    /** {@return that link as it is to be used: the same for the same} */
    public Link shaped(Link link) {
        return of(link);
    }

    ShapedLink of(Link link) {
        return links.computeIfAbsent(link, each -> new ShapedLink(each, departures));
    }

    /**
     * {@return whom the links themselves are to tell} Once.
     *
     * @param sink whom to tell of shaped ones
     */
    public LinkEvents events(LinkEvents sink) {
        departures.tell(sink);
        return new DelayedEvents(loop, shape, this, sink);
    }

    /** A link is down: what waits for it never leaves. */
    void ended(Link link) {
        departures.forget(of(link));
    }
}
