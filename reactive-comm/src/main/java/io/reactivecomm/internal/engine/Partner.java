package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.transfer.Edges;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.link.Frame;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One other rank in one call: whether each side has opened the call towards the other, and whether both mean the same. What travels between
 * the two are the {@link Edges} that it is. Owned by the loop.
 */
final class Partner extends Edges {

    final Call call;
    final Peer peer;

    /** The thread of {@link Openings}: who waits before and after this one for credit, if it waits. */
    @Nullable Partner waitsBefore;

    @Nullable Partner waitsAfter;

    Turn turn = Turn.NONE;
    /** What it costs the peer, as long as it is {@link Turn#ON_CREDIT}. */
    int creditBytes;

    private boolean dropped;

    /** The state of a partner's opening. */
    enum Turn {
        /** It needs no credit: not begun, matched, or over. */
        NONE,
        /** It waits for credit. */
        WAITING,
        /** It has been opened on credit. */
        ON_CREDIT
    }

    Partner(Call call, Peer peer) {
        super(call, peer.path());
        this.call = call;
        this.peer = peer;
    }

    boolean wasDropped() {
        return dropped;
    }

    /** Sends the opening with all that is ready. {@return it} */
    Frame.Open open() {
        dropped = false;
        Frame.Open opening = header(opening());
        peer.tell(opening);
        opened(opening);
        return opening;
    }

    /** {@return the match header: what this rank says when it opens the call} */
    private Frame.Open header(List<Frame.Edge> ready) {
        CallKey key = call.key();
        if (key == null) {
            throw new IllegalStateException("a call without identity opens: call=" + call.label());
        }
        return new Frame.Open(
                key, call.number(), remoteCall(), call.signature(), outgoing(), incoming(), call.site(), ready);
    }

    /** {@return whether the peer's opening says what this rank's call says: the same call, and the same transfers between the two} */
    boolean agrees(Frame.Open open) {
        boolean sameSite = open.site() == 0 || call.site() == 0 || open.site() == call.site();
        boolean sameTransfers = open.outgoing() == incoming() && open.incoming() == outgoing();
        return open.signature().equals(call.signature()) && sameTransfers && sameSite;
    }

    /** The peer did not keep the opening; it is sent again when the peer's own arrives. */
    @Override
    protected void dropped() {
        super.dropped();
        dropped = true;
    }
}
