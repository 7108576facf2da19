package io.reactivecomm.engine;

import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Link;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What comes from one peer: grants pieces within the window, to the most urgent calls first and among equals to the oldest, and says
 * where their bytes go.
 *
 * <p>A grant occupies the window until it is answered, also when its call has ended meanwhile; so the bytes under way never exceed the
 * window, but for {@link Intake#MOST_AHEAD a few pieces} of each edge that were asked for before they were made. Those occupy none, since
 * they may be long in coming. Owned by the loop.
 */
final class Inbox {

    /**
     * Older calls first, and in a call the edges of later steps: what folds made is sent on while it is in the caches, and calls are done
     * sooner than if all took turns.
     */
    private static final Comparator<Intake> ORDER = Comparator.<Intake>comparingInt(intake -> intake.call().priority())
            .reversed()
            .thenComparingLong(intake -> intake.call().number())
            .thenComparing(Comparator.comparingInt(Intake::edge).reversed());

    private final Peer peer;
    private final Link link;
    private final Outbox outbox;
    private final int windowBytes;
    private final TreeSet<Intake> wishes = new TreeSet<>(ORDER);
    private final Map<Long, Granted> granted = new HashMap<>();
    private long nextGrant = 1;
    private long usedBytes;
    private long peakBytes;

    Inbox(Peer peer, Outbox outbox, int windowBytes) {
        this.peer = peer;
        this.link = peer.link();
        this.outbox = outbox;
        this.windowBytes = windowBytes;
    }

    /** A grant that is not answered; without a piece once its call has ended. */
    private static final class Granted {

        private Intake.@Nullable Piece piece;
        private final int lengthBytes;
        private final int windowBytes;
        private boolean arriving;

        private Granted(Intake.Piece piece, int windowBytes) {
            this.piece = piece;
            this.lengthBytes = (int) piece.destination().byteSize();
            this.windowBytes = windowBytes;
        }
    }

    /** Asks for an intake's pieces in its turn. */
    void wish(Intake intake) {
        wishes.add(intake);
        pump();
    }

    private void pump() {
        while (!wishes.isEmpty()) {
            Intake next = wishes.getFirst();
            if (!next.call().isRunning() || !next.hasWish()) {
                wishes.remove(next);
            } else if (usedBytes > 0 && usedBytes + next.wishBytes() > windowBytes) {
                return;
            } else {
                grant(next);
            }
        }
    }

    private void grant(Intake intake) {
        Intake.Piece piece = intake.grantNext();
        int lengthBytes = (int) piece.destination().byteSize();
        usedBytes += lengthBytes;
        peakBytes = Math.max(peakBytes, usedBytes);
        write(piece, lengthBytes);
        if (!intake.hasWish()) {
            wishes.remove(intake);
        }
    }

    /** Asks for a piece that is still being made; it takes none of the window from pieces that could come at once. */
    void grantAhead(Intake.Piece piece) {
        write(piece, 0);
    }

    private void write(Intake.Piece piece, int windowBytes) {
        Intake intake = piece.intake();
        long number = nextGrant++;
        granted.put(number, new Granted(piece, windowBytes));
        outbox.write(new Frame.Grant(intake.partner().remoteCall(), intake.edge(), piece.from(), piece.count(), number));
    }

    @Nullable MemorySegment dataStart(long grant, int lengthBytes) {
        Granted answered = granted.get(grant);
        if (answered == null || answered.arriving || answered.lengthBytes != lengthBytes) {
            throw new ProtocolException("data answers no grant: grant=" + grant + ", lengthBytes=" + lengthBytes);
        }
        answered.arriving = true;
        Intake.Piece piece = answered.piece;
        return piece == null ? null : piece.destination();
    }

    void dataEnd(long grant) {
        Intake.Piece piece = answered(grant).piece;
        if (piece != null) {
            piece.intake().arrived(piece);
        }
        pump();
    }

    /** The sender's call has ended; the news of why comes, or has come, by itself. */
    void withdrawn(long grant) {
        answered(grant);
        pump();
    }

    private Granted answered(long grant) {
        Granted answered = granted.remove(grant);
        if (answered == null) {
            throw new ProtocolException("an answer to no grant: grant=" + grant);
        }
        usedBytes -= answered.windowBytes;
        return answered;
    }

    /** Stops all writing into memory of a call that has ended, and forgets what it wished for: its turn may be long in coming. */
    void abandon(Call call) {
        Partner partner = call.partner(peer);
        if (partner != null) {
            partner.forEachIntake(wishes::remove);
        }
        granted.forEach((number, grant) -> {
            Intake.Piece piece = grant.piece;
            if (piece != null && piece.intake().call() == call) {
                grant.piece = null;
                if (grant.arriving) {
                    link.drain(number);
                }
                piece.letGo();
            }
        });
        pump();
    }

    /** {@return edges that wait for room in the window} */
    int wishes() {
        return wishes.size();
    }

    /** {@return the most bytes that were ever under way at once} */
    long peakBytes() {
        return peakBytes;
    }

    /** Forgets everything and lets go of all memory: the peer is gone, though the link may linger. */
    void clear() {
        granted.forEach((number, grant) -> {
            if (grant.arriving) {
                link.drain(number);
            }
            if (grant.piece != null) {
                grant.piece.letGo();
            }
        });
        wishes.clear();
        granted.clear();
        usedBytes = 0;
    }
}
