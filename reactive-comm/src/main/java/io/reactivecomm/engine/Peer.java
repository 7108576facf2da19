package io.reactivecomm.engine;

import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Link;

/** One other rank of the world: the link to it and all that waits on either side of it. Owned by the loop. */
final class Peer {

    /** What is known of a peer; it only ever moves down this list. */
    enum State {
        UP,
        /** It said goodbye: no call can begin with it, and nothing more comes. */
        DEPARTED,
        LOST
    }

    /** How much more may be asked for at once where nothing is moved: what keeps a reader going while the sender is busy with a piece. */
    private static final int LENT_TIMES = 16;

    private final int rank;
    private final Link link;
    private final EngineLimits limits;
    private final Outbox outbox;
    private final Inbox inbox;
    private final Openings openings;
    private final MessageQueue messages;
    private final EagerWindow eager;
    private State state = State.UP;

    /** @param peers how many there are in all */
    Peer(Link link, EngineLimits limits, int peers) {
        this.rank = link.peer();
        this.link = link;
        this.limits = limits;
        this.outbox = new Outbox(link);
        this.inbox = new Inbox(this, outbox);
        this.eager = new EagerWindow(limits.eagerWindowBytes(peers));
        this.openings = new Openings(limits.openings(), outbox, eager);
        this.messages = new MessageQueue(limits, outbox);
    }

    /** {@return bytes that may be granted and not yet here; in bulk, a piece that is written and one that is read} */
    long windowBytes(Intake.Window window) {
        if (window == Intake.Window.BULK) {
            return 2L * bulkBytes();
        }
        long bytes = Math.clamp(link.windowBytes(), limits.pieceBytes(), limits.windowBytes());
        return bytes * (link.lends() ? LENT_TIMES : 1);
    }

    /** {@return whether the link wants what only has to be moved in longer pieces} */
    boolean movesInBulk() {
        return bulkBytes() > limits.pieceBytes();
    }

    /** {@return how much to ask for at once of what lies ready and only has to be moved} */
    int bulkBytes() {
        return Math.clamp(link.bulkBytes(), limits.pieceBytes(), limits.bulkBytes());
    }

    /** {@return pieces of a fold that may be under way at once} */
    int foldDepth() {
        return limits.foldDepth() * (link.lends() ? LENT_TIMES : 1);
    }

    /** {@return pieces of an edge that may be asked for before they are announced} */
    int mostAhead() {
        return link.lends() ? Intake.MOST_AHEAD : Intake.USUALLY_AHEAD;
    }

    int rank() {
        return rank;
    }

    Link link() {
        return link;
    }

    EngineLimits limits() {
        return limits;
    }

    Outbox outbox() {
        return outbox;
    }

    Inbox inbox() {
        return inbox;
    }

    Openings openings() {
        return openings;
    }

    MessageQueue messages() {
        return messages;
    }

    EagerWindow eager() {
        return eager;
    }

    /** Sends what has been written; first, what the peer may send again. */
    void flush() {
        Frame news = isUp() ? eager.news() : null;
        if (news != null) {
            outbox.write(news);
        }
        outbox.flush();
    }

    State state() {
        return state;
    }

    boolean isUp() {
        return state == State.UP;
    }

    void moveTo(State next) {
        if (next.compareTo(state) > 0) {
            state = next;
        }
    }

    /** Forgets what waits for the link, which is down. */
    void clear() {
        outbox.clear();
        inbox.clear();
        openings.clear();
        messages.clear();
    }
}
