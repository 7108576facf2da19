package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.Link;

/** The way between this rank and one peer: the link, and what waits on either side of it. Owned by the loop. */
public final class Path {

    private final Link link;
    /** By whether the link lends, which some learn from what comes. */
    private final PathTuning copying;

    private final PathTuning lending;
    private final Outbox outbox;
    private final Inbox inbox;
    private final EagerWindow eager;
    private boolean open = true;

    /** @param peers how many there are in all */
    public Path(Link link, EngineLimits limits, int peers) {
        this.link = link;
        this.copying = PathTuning.of(link, limits, false);
        this.lending = PathTuning.of(link, limits, true);
        this.outbox = new Outbox(link);
        this.inbox = new Inbox(this);
        this.eager = new EagerWindow(limits.eagerWindowBytes(peers));
    }

    /** {@return the peer's rank in the world} */
    int rank() {
        return link.peer();
    }

    public Link link() {
        return link;
    }

    PathTuning tuning() {
        return link.lends() ? lending : copying;
    }

    public Outbox outbox() {
        return outbox;
    }

    public Inbox inbox() {
        return inbox;
    }

    public EagerWindow eager() {
        return eager;
    }

    /** {@return whether the peer is there to hear of anything} */
    boolean isOpen() {
        return open;
    }

    /** The peer is gone, or says nothing any more. */
    public void end() {
        open = false;
    }

    /** Sends what has been written; first, what the peer may send again. */
    public void flush() {
        if (open && eager.hasNews()) {
            outbox.write(eager.news());
        }
        outbox.flush();
    }

    /** Forgets what waits for the link, which is down. */
    public void clear() {
        outbox.clear();
        inbox.clear();
    }
}
