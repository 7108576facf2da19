package io.reactivecomm.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Frame;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The openings of collectives between this rank and one peer, in both directions, as long as one side does not know the call.
 *
 * <p>Outward, at most a credit of openings may be unmatched; further calls wait here. Inward, a bounded number is parked until this rank
 * begins the call; the rest is dropped, the peer is told, and it opens again when it sees this rank's own opening. Because a peer parks
 * less than the credit, credit always comes back, and a flood of calls that the other side has not begun blocks no call that it has.
 * Owned by the loop.
 */
final class Openings {

    /** What an edge without bytes costs in memory, roughly. */
    private static final int EDGE_BYTES = 32;

    private final EngineLimits limits;
    private final Outbox outbox;
    private final SequencedSet<Partner> waiting = new LinkedHashSet<>();
    private final Set<Partner> unmatched = new HashSet<>();
    private final Map<CallKey, Frame.Open> parked = new LinkedHashMap<>();
    private int parkedBytes;

    Openings(EngineLimits limits, Outbox outbox) {
        this.limits = limits;
        this.outbox = outbox;
    }

    /** Opens a call towards the peer, at once if the peer has opened it or there is credit, otherwise in turn. */
    void open(Partner partner) {
        if (partner.isMatched()) {
            partner.open();
        } else if (unmatched.size() < limits.openCredit()) {
            unmatched.add(partner);
            partner.open();
        } else {
            waiting.add(partner);
        }
    }

    /** The peer's opening of the call is here: what was held back goes out, and the credit comes back. */
    void matched(Partner partner) {
        unmatched.remove(partner);
        if (!partner.hasOpened()) {
            waiting.remove(partner);
            partner.open();
        }
        openWaiting();
    }

    /** The peer dropped the opening. */
    void dropped(Partner partner) {
        unmatched.remove(partner);
        partner.dropped();
        openWaiting();
    }

    /** The peer, which dropped the opening, would take it now. */
    void repeat(Partner partner) {
        if (!waiting.contains(partner)) {
            open(partner);
        }
    }

    /** The call has ended without the peer. */
    void forget(Partner partner) {
        unmatched.remove(partner);
        waiting.remove(partner);
        openWaiting();
    }

    private void openWaiting() {
        while (!waiting.isEmpty() && unmatched.size() < limits.openCredit()) {
            Partner next = waiting.removeFirst();
            unmatched.add(next);
            next.open();
        }
    }

    /** Keeps an opening of a call that this rank has not begun, or drops it. */
    void park(Frame.Open open) {
        int bytes = keptBytes(open);
        if (parked.size() >= limits.parkedOpens() || parkedBytes + bytes > limits.parkedBytes()) {
            outbox.write(new Frame.Dropped(open.call()));
            return;
        }
        take(open.key());
        parked.put(open.key(), open);
        parkedBytes += bytes;
    }

    /** {@return the peer's parked opening of that call, which is parked no more, or null} */
    Frame.@Nullable Open take(CallKey key) {
        Frame.Open open = parked.remove(key);
        if (open != null) {
            parkedBytes -= keptBytes(open);
        }
        return open;
    }

    /** Forgets what a group's calls left. */
    void forgetGroup(long group) {
        parked.values().removeIf(open -> open.key().group() == group);
        parkedBytes = parked.values().stream().mapToInt(Openings::keptBytes).sum();
    }

    int parkedCount() {
        return parked.size();
    }

    /** Forgets everything: the link is down. */
    void clear() {
        waiting.clear();
        unmatched.clear();
        parked.clear();
        parkedBytes = 0;
    }

    private static int keptBytes(Frame.Open open) {
        int bytes = 0;
        for (Frame.Edge edge : open.edges()) {
            bytes += EDGE_BYTES + edge.eager().length;
        }
        return bytes;
    }
}
