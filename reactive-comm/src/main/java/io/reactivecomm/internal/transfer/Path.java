package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.link.Link;
import org.jspecify.annotations.Nullable;

/** The way between this rank and one peer: the link, and what waits on either side of it. Owned by the loop. */
public final class Path {

    private final Link link;
    private final PathTuning tuning;
    private final Outbox outbox;
    private final Inbox inbox;
    private final EagerWindow eager;
    private PathTuning.Flow copied;
    private @Nullable GrantWatch watch;
    private boolean open = true;

    /** @param peers how many there are in all */
    public Path(Link link, EngineLimits limits, int peers) {
        this.link = link;
        this.tuning = PathTuning.of(link.traits(), limits);
        this.copied = tuning.copied();
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
        return tuning;
    }

    /** {@return how much may be under way, by whether the link lends, which some learn from what comes} */
    PathTuning.Flow flow() {
        return link.lends() ? tuning.lent() : copied;
    }

    /** {@return what one window holds; in bulk, a piece that is written and one that is read} */
    long windowBytes(Window window) {
        return window == Window.BULK ? 2L * tuning.bulkBytes() : flow().windowBytes();
    }

    /** Has no more than so many bytes under way from now on; what is granted beyond that still comes. */
    void hold(long windowBytes) {
        copied = tuning.copiedWithin(windowBytes);
        inbox.pump();
    }

    /** Has somebody told of what is asked for from the peer, if what comes says how long the way is. */
    public void watchGrants(GrantWatch told) {
        watch = tuning.canGrow() ? told : null;
    }

    /** A piece is asked for. */
    void asked(long grant, int lengthBytes, Window window) {
        if (watch != null) {
            watch.asked(link.peer(), grant, lengthBytes, window == Window.AHEAD);
        }
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
