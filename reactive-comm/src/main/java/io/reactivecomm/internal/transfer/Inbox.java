package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The way in from one peer: grants pieces within the window, to the most urgent calls first and among equals to the oldest, and says
 * where their bytes go.
 *
 * <p>A grant occupies its window until it is answered, also when its call has ended meanwhile; so the bytes under way never exceed the
 * windows, however these have changed meanwhile. What is asked for before it is made may be long in coming: it has a window of its own, for which nothing waits that could come
 * at once. What is moved in bulk has one, too: whose turn comes behind it need not wait until it is here. Owned by the loop.
 */
public final class Inbox {

    /** Older calls first: what their folds made is sent on while it is in the caches, and they are done sooner than if all took turns. */
    private static final Comparator<Intake> ORDER = Comparator.<Intake>comparingInt(
                    intake -> intake.transfer().priority())
            .reversed()
            .thenComparingLong(intake -> intake.transfer().number())
            .thenComparingInt(Intake::edge);

    private final Path path;
    private final Link link;
    private final Outbox outbox;
    private final TreeSet<Intake> wishes = new TreeSet<>(ORDER);
    /** Edges that would ask for what is still being made. */
    private final TreeSet<ReceiveRun> early = new TreeSet<>(ORDER);

    private final Map<Long, Granted> granted = new HashMap<>();
    private long nextGrant = 1;
    /** What is under way in each window. */
    private final long[] usedBytes = new long[Window.values().length];

    private long peakBytes;

    Inbox(Path path) {
        this.path = path;
        this.link = path.link();
        this.outbox = path.outbox();
    }

    /** A grant that is not answered; without a piece once its call has ended. */
    private static final class Granted {

        private Intake.@Nullable Piece piece;
        private final int lengthBytes;
        private final Window window;
        private boolean arriving;

        private Granted(Intake.Piece piece) {
            this.piece = piece;
            this.lengthBytes = (int) piece.destination().byteSize();
            this.window = piece.window();
        }
    }

    /** Asks for an intake's pieces in its turn. */
    void wish(Intake intake) {
        wishes.add(intake);
        pump();
    }

    /** Asks, in its turn, for what the sender of this edge is still making. */
    void wishAhead(ReceiveRun edge) {
        early.add(edge);
        pumpAhead();
    }

    /** There is nothing to ask for ahead any more. */
    void unwishAhead(ReceiveRun edge) {
        early.remove(edge);
    }

    private void pumpAhead() {
        while (!early.isEmpty() && hasRoom(Window.AHEAD, early.getFirst().aheadBytes())) {
            ReceiveRun next = early.getFirst();
            Intake.Piece piece = next.nextAhead();
            if (piece == null) {
                early.remove(next);
            } else {
                write(piece);
            }
        }
    }

    /** Grants what there is room for. */
    void pump() {
        pumpAhead();
        while (!wishes.isEmpty()) {
            Intake next = wishes.getFirst();
            if (!next.transfer().isRunning() || !next.hasWish()) {
                wishes.remove(next);
            } else if (!hasRoom(next.wishWindow(), next.wishBytes())) {
                return;
            } else {
                grant(next);
            }
        }
    }

    private boolean hasRoom(Window window, int bytes) {
        long used = usedBytes[window.ordinal()];
        return used == 0 || used + bytes <= path.windowBytes(window);
    }

    private void grant(Intake intake) {
        Intake.Piece piece = intake.grantNext();
        write(piece);
        if (!intake.hasWish()) {
            wishes.remove(intake);
        }
    }

    private void write(Intake.Piece piece) {
        Intake intake = piece.intake();
        long number = nextGrant++;
        Granted grant = new Granted(piece);
        granted.put(number, grant);
        occupy(grant, grant.lengthBytes);
        outbox.write(new Frame.Grant(intake.edges().remoteCall(), intake.edge(), piece.from(), piece.count(), number));
        path.asked(number, grant.lengthBytes, grant.window);
        intake.transfer().wrote(path, FrameCodec.GRANT_BYTES);
    }

    /** {@return where the bytes of a granted piece go, or null to forget them} */
    public @Nullable MemorySegment dataStart(long grant, int lengthBytes) {
        Intake.Piece piece = start(grant, lengthBytes).piece;
        return piece == null ? null : piece.destination();
    }

    private Granted start(long grant, long lengthBytes) {
        Granted answered = granted.get(grant);
        if (answered == null || answered.arriving || answered.lengthBytes != lengthBytes) {
            throw new ProtocolException("data answers no grant: grant=" + grant + ", lengthBytes=" + lengthBytes);
        }
        answered.arriving = true;
        return answered;
    }

    /** The bytes of a granted piece are all here. */
    public void dataEnd(long grant) {
        Intake.Piece piece = answered(grant).piece;
        if (piece != null) {
            piece.intake().transfer().moved(0);
            piece.intake().arrived(piece);
        }
        pump();
    }

    /** A piece has come, but not to where it goes. */
    public void dataFailed(long grant, Throwable fault) {
        Intake.Piece piece = answered(grant).piece;
        if (piece != null) {
            piece.letGo();
            piece.intake().withdrawn();
            piece.intake().transfer().faulted(fault);
        }
        pump();
    }

    /** A piece can be read where it lies. */
    public void lent(long grant, Loan loan) {
        try {
            start(grant, loan.memory().byteSize());
        } catch (ProtocolException e) {
            outbox.giveBack(loan);
            throw e;
        }
        Intake.Piece piece = answered(grant).piece;
        if (piece == null) {
            outbox.giveBack(loan);
        } else {
            piece.intake().transfer().moved(0);
            piece.intake().lent(piece, loan);
        }
        pump();
    }

    /** The sender's call has ended; the news of why comes, or has come, by itself. */
    public void withdrawn(long grant) {
        Intake.Piece piece = answered(grant).piece;
        if (piece != null) {
            piece.letGo();
            piece.intake().withdrawn();
        }
        pump();
    }

    private Granted answered(long grant) {
        Granted answered = granted.remove(grant);
        if (answered == null) {
            throw new ProtocolException("an answer to no grant: grant=" + grant);
        }
        occupy(answered, -answered.lengthBytes);
        return answered;
    }

    private void occupy(Granted grant, int bytes) {
        usedBytes[grant.window.ordinal()] += bytes;
        peakBytes = Math.max(peakBytes, usedBytes[grant.window.ordinal()]);
    }

    /** Stops all writing into memory of a call that has ended, and forgets what it wished for: its turn may be long in coming. */
    void abandon(Transfer transfer, Edges edges) {
        edges.forEachIntake(wishes::remove);
        edges.forEachIntake(early::remove);
        granted.forEach((number, grant) -> {
            Intake.Piece piece = grant.piece;
            if (piece != null && piece.intake().transfer() == transfer) {
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
    public int wishes() {
        return wishes.size();
    }

    /** {@return the most bytes that ever occupied any window} */
    public long peakBytes() {
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
        early.clear();
        granted.clear();
        Arrays.fill(usedBytes, 0);
    }
}
