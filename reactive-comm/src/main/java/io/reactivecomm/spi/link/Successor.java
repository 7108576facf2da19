package io.reactivecomm.spi.link;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The opening that follows another: the next ticket of the same name, the next number, and all else alike but the bytes. Moves on from one to
 * the next, and keeps no bytes.
 */
final class Successor {

    private static final int NO_EDGE = -1;

    private final CallKey.Ticket pattern;
    private final Signature signature;
    private final long outgoing;
    private final long incoming;
    private final long site;
    private final int edge;
    private final long ready;
    private final int eagerBytes;
    private long ticket;
    private long call;

    private Successor(Frame.Open open, CallKey.Ticket key) {
        this.pattern = key;
        this.signature = open.signature();
        this.outgoing = open.outgoing();
        this.incoming = open.incoming();
        this.site = open.site();
        boolean hasEdge = !open.edges().isEmpty();
        this.edge = hasEdge ? open.edges().getFirst().edge() : NO_EDGE;
        this.ready = hasEdge ? open.edges().getFirst().ready() : 0;
        this.eagerBytes = hasEdge ? (int) open.edges().getFirst().eager().byteSize() : 0;
        this.ticket = key.ticket() + 1;
        this.call = open.call() + 1;
    }

    /** {@return what would follow an opening; null if nothing that is known} */
    static @Nullable Successor of(Frame.Open open) {
        return open.key() instanceof CallKey.Ticket key && open.edges().size() <= 1 ? new Successor(open, key) : null;
    }

    int eagerBytes() {
        return eagerBytes;
    }

    boolean is(Frame.Open open) {
        return open.call() == call
                && open.key() instanceof CallKey.Ticket key
                && key.ticket() == ticket
                && isAlike(key)
                && open.outgoing() == outgoing
                && open.incoming() == incoming
                && open.site() == site
                && open.signature().equals(signature)
                && hasSuchEdge(open.edges());
    }

    private boolean isAlike(CallKey.Ticket key) {
        return key.group() == pattern.group()
                && key.generation() == pattern.generation()
                && key.ordinal() == pattern.ordinal()
                && key.step() == pattern.step()
                && key.name().equals(pattern.name())
                && Objects.equals(key.enclosure(), pattern.enclosure());
    }

    private boolean hasSuchEdge(List<Frame.Edge> edges) {
        if (edge == NO_EDGE || edges.isEmpty()) {
            return edge == NO_EDGE && edges.isEmpty();
        }
        Frame.Edge only = edges.getFirst();
        return edges.size() == 1
                && only.edge() == edge
                && only.ready() == ready
                && only.eager().byteSize() == eagerBytes;
    }

    /** The opening has come: from here on this is the one after it. */
    void moveOn() {
        ticket++;
        call++;
    }

    /** {@return the opening that follows, with what is its own; from here on this is the one after it} */
    Frame.Open open(long peerCall, MemorySegment eager) {
        CallKey key = new CallKey.Ticket(
                pattern.generation(),
                pattern.group(),
                pattern.step(),
                pattern.name(),
                ticket,
                pattern.ordinal(),
                pattern.enclosure());
        List<Frame.Edge> edges = edge == NO_EDGE ? List.of() : List.of(new Frame.Edge(edge, ready, eager));
        Frame.Open open = new Frame.Open(key, call, peerCall, signature, outgoing, incoming, site, edges);
        moveOn();
        return open;
    }
}
