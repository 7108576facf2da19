package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.Path;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The openings of collectives between this rank and one peer, in both directions, as long as one side does not know the call.
 *
 * <p>Outward, at most a credit of openings may be unmatched; further calls wait here. Inward, a bounded number is parked until this rank
 * begins the call; the rest is dropped, the peer is told, and it opens again when it sees this rank's own opening. Because a peer parks
 * less than the credit, credit always comes back, and a flood of calls that the other side has not begun blocks no call that it has.
 *
 * <p><b>Errors.</b> A peer that opens a call twice has broken the protocol. How many it may open only it knows: a third rank may have ended
 * calls of which this rank has not heard, and each gave credit back. So one that opens more than is parked is answered, never punished.
 *
 * <p>Owned by the loop.
 */
final class Openings {

    /** What an edge without bytes costs in memory, roughly. */
    private static final int EDGE_BYTES = 32;

    private final EngineLimits.Openings limits;
    private final int droppedKept;
    private final Path path;
    private final Map<CallKey, Frame.Open> parked = new LinkedHashMap<>();
    /**
     * Of the calls that were dropped, those that this rank has not begun: where it makes a composite call instead of one, or ends the composite or the
     * step that it is in without it, the peer repeats none by itself, and is to hear. The oldest are forgotten.
     */
    private final SequencedSet<CallKey> dropped = new LinkedHashSet<>();
    /** Those that wait are threaded through the partners, so that nothing is allocated for a call. */
    private @Nullable Partner first;

    private @Nullable Partner last;
    private int onCredit;
    private long onCreditBytes;
    private int parkedBytes;
    /** Those in composite calls. */
    private int parkedParts;

    private boolean isOver;

    Openings(EngineLimits limits, Path path) {
        this.limits = limits.openings();
        this.droppedKept = limits.tombstones();
        this.path = path;
    }

    /** Opens a call towards the peer, at once if the peer has opened it or there is credit, otherwise in turn. */
    void open(Partner partner) {
        if (partner.isMatched()) {
            partner.open();
        } else if (hasCredit()) {
            openOnCredit(partner);
        } else {
            waitInTurn(partner);
        }
    }

    private boolean hasCredit() {
        return onCredit < limits.credit() && onCreditBytes < limits.creditBytes();
    }

    private void openOnCredit(Partner partner) {
        onCredit++;
        partner.turn = Partner.Turn.ON_CREDIT;
        partner.creditBytes = keptBytes(partner.open());
        onCreditBytes += partner.creditBytes;
    }

    private void waitInTurn(Partner partner) {
        partner.turn = Partner.Turn.WAITING;
        partner.waitsBefore = last;
        if (last == null) {
            first = partner;
        } else {
            last.waitsAfter = partner;
        }
        last = partner;
    }

    /** Takes a partner from wherever it stands. */
    private void release(Partner partner) {
        if (!isOver && partner.turn == Partner.Turn.ON_CREDIT) {
            onCredit--;
            onCreditBytes -= partner.creditBytes;
        } else if (!isOver && partner.turn == Partner.Turn.WAITING) {
            unlink(partner);
        }
        partner.turn = Partner.Turn.NONE;
    }

    private void unlink(Partner partner) {
        if (partner.waitsBefore == null) {
            first = partner.waitsAfter;
        } else {
            partner.waitsBefore.waitsAfter = partner.waitsAfter;
        }
        if (partner.waitsAfter == null) {
            last = partner.waitsBefore;
        } else {
            partner.waitsAfter.waitsBefore = partner.waitsBefore;
        }
        partner.waitsBefore = null;
        partner.waitsAfter = null;
    }

    /** The peer's opening of the call is here: what was held back goes out, and the credit comes back. */
    void matched(Partner partner) {
        release(partner);
        if (!partner.hasOpened()) {
            partner.open();
        }
        openWaiting();
    }

    /** The peer dropped the opening. */
    void dropped(Partner partner) {
        release(partner);
        partner.dropped();
        openWaiting();
    }

    /** The peer, which dropped the opening, would take it now. */
    void repeat(Partner partner) {
        if (partner.turn != Partner.Turn.WAITING) {
            open(partner);
        }
    }

    /** The call has ended without the peer. */
    void forget(Partner partner) {
        release(partner);
        openWaiting();
    }

    private void openWaiting() {
        for (Partner next = first; next != null && hasCredit(); next = first) {
            unlink(next);
            openOnCredit(next);
        }
    }

    /**
     * Keeps an opening of a call that this rank has not begun, or drops it.
     *
     * @throws ProtocolException if the peer has opened it before
     */
    void park(Frame.Open open) {
        if (parked.containsKey(open.key())) {
            throw new ProtocolException(
                    "a peer opened a call twice: call=" + open.key().label());
        }
        int bytes = keptBytes(open);
        if (parked.size() >= limits.parked() || parkedBytes + bytes > limits.parkedBytes()) {
            path.outbox().write(new Frame.Dropped(open.call()));
            rememberDropped(open.key());
            return;
        }
        parked.put(open.key(), open.kept());
        parkedBytes += bytes;
        parkedParts += open.key().enclosure() == null ? 0 : 1;
        path.eager().keep(open.eagerBytes());
    }

    private void rememberDropped(CallKey key) {
        dropped.add(key);
        if (dropped.size() > droppedKept) {
            dropped.removeFirst();
        }
    }

    /** {@return the peer's parked opening of that call, which is parked no more, or null} */
    Frame.@Nullable Open take(CallKey key) {
        if (!dropped.isEmpty()) {
            dropped.remove(key);
        }
        Frame.Open open = parked.isEmpty() ? null : parked.remove(key);
        if (open != null) {
            forgotten(open);
        }
        return open;
    }

    /** Forgets what a group's calls left. */
    void forgetGroup(long group) {
        dropped.removeIf(key -> key.group() == group);
        parked.values().removeIf(open -> {
            boolean isOfGroup = open.key().group() == group;
            if (isOfGroup) {
                forgotten(open);
            }
            return isOfGroup;
        });
    }

    /** {@return whether the peer has opened a call in that run, however deep, that this rank has not begun} */
    boolean holdsPartOf(CallKey.Ticket run) {
        return parkedParts > 0 && holdsPartOf(parked.keySet(), run) || !dropped.isEmpty() && holdsPartOf(dropped, run);
    }

    private static boolean holdsPartOf(Set<CallKey> keys, CallKey.Ticket run) {
        for (CallKey key : keys) {
            if (isPartOf(key, run)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the runs of composite calls of a group in which there are such calls} */
    Set<CallKey.Ticket> runsOf(long group) {
        Set<CallKey.Ticket> runs = new LinkedHashSet<>();
        if (parkedParts > 0) {
            parked.keySet().forEach(key -> addRunOf(group, key.enclosure(), runs));
        }
        dropped.forEach(key -> addRunOf(group, key.enclosure(), runs));
        return runs;
    }

    private static void addRunOf(long group, @Nullable Enclosure enclosure, Set<CallKey.Ticket> runs) {
        CallKey.Ticket run = enclosure == null ? null : enclosure.runOf(group);
        if (run != null) {
            runs.add(run);
        }
    }

    /** {@return a part of a text about a group's calls that the peer has opened and this rank has not begun; may be empty} */
    String inGroup(long group, int rank) {
        List<CallKey> keys = Stream.concat(parked.keySet().stream(), dropped.stream())
                .filter(key -> key.group() == group && key instanceof CallKey.Ticket)
                .toList();
        return keys.isEmpty()
                ? ""
                : ", rank " + rank + " waits in " + keys.size() + (keys.size() == 1 ? " other call" : " other calls")
                        + " of this group, the first is " + keys.getFirst().label();
    }

    /** {@return whether the peer has opened a call that this rank has not begun} */
    boolean holds(CallKey key) {
        return parked.containsKey(key) || dropped.contains(key);
    }

    /** {@return the identities of such calls} */
    List<CallKey> partsOf(CallKey.Ticket run) {
        return parkedParts == 0 && dropped.isEmpty()
                ? List.of()
                : Stream.concat(parked.keySet().stream(), dropped.stream())
                        .filter(key -> isPartOf(key, run))
                        .toList();
    }

    private static boolean isPartOf(CallKey key, CallKey.Ticket run) {
        Enclosure enclosure = key.enclosure();
        return enclosure != null && enclosure.isPartOf(run);
    }

    /** {@return the identities of calls that the peer has opened and this rank has not begun, which are of a group or in a composite call of it} */
    List<CallKey> of(long group) {
        return parked.isEmpty() && dropped.isEmpty()
                ? List.of()
                : Stream.concat(parked.keySet().stream(), dropped.stream())
                        .filter(key -> key.outermost().group() == group)
                        .toList();
    }

    /** {@return whether the peer has opened something else than a run of that operation under its identity} */
    boolean contradicts(Enclosure run) {
        return !parked.isEmpty() && contradicts(parked.keySet(), run)
                || !dropped.isEmpty() && contradicts(dropped, run);
    }

    private static boolean contradicts(Set<CallKey> keys, Enclosure run) {
        if (keys.contains(run.run())) {
            return true;
        }
        for (CallKey key : keys) {
            if (isOther(key.enclosure(), run)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOther(@Nullable Enclosure enclosure, Enclosure run) {
        for (Enclosure each = enclosure; each != null; each = each.outer()) {
            if (each.equals(run)) {
                return each.operation() != run.operation();
            }
        }
        return false;
    }

    private void forgotten(Frame.Open open) {
        parkedParts -= open.key().enclosure() == null ? 0 : 1;
        parkedBytes -= keptBytes(open);
        path.eager().letGo(open.eagerBytes());
    }

    int parkedCount() {
        return parked.size();
    }

    /** Forgets everything: the link is down. */
    void clear() {
        isOver = true;
        first = null;
        last = null;
        parked.values().forEach(this::forgotten);
        parked.clear();
        dropped.clear();
    }

    /** {@return what an opening costs a peer that parks it; counted alike on both sides, so that credit exceeds it} */
    static int keptBytes(Frame.Open open) {
        return EDGE_BYTES * open.edges().size() + (int) open.eagerBytes();
    }
}
