package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Receives one edge straight into its place. */
final class ReceiveRun extends Run implements Intake {

    private final Edges edges;
    private final int edge;
    private final RowSlice target;
    private final EdgeState state;
    /** Elements of a piece that is passed on in parts, or still being made. */
    private final long usualPiece;

    private @Nullable MemorySegment eager;
    private long granted;
    private boolean bothHaveOpened;
    /** A piece will not come, or not whole: the sender's call has ended, and the news of why comes by itself. Later pieces may still come. */
    private boolean broken;
    /** Pieces that were asked for before they were announced, and are not here. */
    private int aheadCount;
    /** All lay ready at the sender before any of it was asked for, and nobody here goes on with a part: it only has to be moved. */
    private boolean bulk;

    /** @param pieceElements elements of a piece, if usual ones are too long, or 0 */
    ReceiveRun(Transfer transfer, Edges edges, int edge, RowSlice target, long pieceElements) {
        super(transfer, target.count());
        this.edges = edges;
        this.edge = edge;
        this.target = target;
        this.state = new EdgeState(count, target.elementBytes());
        this.usualPiece = PieceLength.elements(
                pieceElements, target.elementBytes(), edges.path().tuning().pieceBytes());
    }

    @Override
    public Transfer transfer() {
        return transfer;
    }

    @Override
    public Edges edges() {
        return edges;
    }

    @Override
    public int edge() {
        return edge;
    }

    @Override
    public long lengthBytes() {
        return target.lengthBytes();
    }

    @Override
    public boolean isComplete() {
        return isDone() || eager != null || (count == 0 && state.isAnnounced());
    }

    @Override
    public void announced(Frame.Edge news) {
        if (news.isEager() && granted > 0) {
            throw new ProtocolException("an announcement brings what was asked for: edge=" + edge);
        }
        state.announced(news);
        bulk = granted == 0
                && state.ready() == count
                && !isFollowedInParts()
                && edges.path().tuning().movesInBulk();
        eager = news.isEager() ? news.eager() : null;
        advance();
        if (eager != null) {
            eager = news.keptBytes();
        }
    }

    @Override
    void advance() {
        if (isDone() || broken) {
            return;
        }
        if (count == 0) {
            if (state.isAnnounced() && limit() != BLOCKED) {
                progressTo(0);
            }
        } else if (eager != null) {
            takeEager(eager);
        } else if (hasWish()) {
            edges.path().inbox().wish(this);
        } else {
            askAhead();
        }
    }

    @Override
    public void comesByGrant() {
        state.comesByGrant();
    }

    @Override
    public void matched() {
        bothHaveOpened = true;
        askAhead();
    }

    /** Asks, in turn with others, for what the sender is still making: so it comes as soon as it is made, not two trips later. */
    private void askAhead() {
        if (mayAskAhead()) {
            edges.path().inbox().wishAhead(this);
        } else {
            edges.path().inbox().unwishAhead(this);
        }
    }

    private boolean mayAskAhead() {
        boolean isUnannounced = granted >= state.ready();
        boolean hasPlace = granted < limit();
        return bothHaveOpened
                && transfer.isRunning()
                && isUnannounced
                && hasPlace
                && state.isByGrant()
                && aheadCount < mostAhead();
    }

    /** {@return how many pieces may be asked for ahead: as many bytes, whatever their length} */
    private int mostAhead() {
        long bytes = (long) edges.path().flow().ahead() * edges.path().tuning().pieceBytes();
        return (int) Math.min(PathTuning.MOST_AHEAD, bytes / aheadBytes());
    }

    /** {@return the most bytes of a piece that is asked for ahead} */
    int aheadBytes() {
        return (int) usualPiece * target.elementBytes();
    }

    /**
     * {@return a piece that its sender is still making, whose place is free and waits for nothing; null if there is none}
     * What has to be unpacked holds memory while it waits. It is asked for only where the way may be long, and within its window.
     */
    @Nullable Piece nextAhead() {
        int elements = mayAskAhead() ? pieceElements(limit()) : 0;
        boolean mayUnpack = edges.path().tuning().canGrow();
        if (elements == 0 || (!mayUnpack && target.together(granted, elements) < elements)) {
            return null;
        }
        aheadCount++;
        return next(elements, Window.AHEAD);
    }

    private void takeEager(MemorySegment bytes) {
        if (limit() == count) {
            boolean isHere = unpacked(0, count, bytes);
            eager = null;
            broken |= !isHere;
            if (isHere) {
                progressTo(count);
            }
        }
    }

    private boolean unpacked(long from, long elements, MemorySegment bytes) {
        try {
            target.unpack(from, elements, bytes);
            return true;
        } catch (RuntimeException | InternalError e) {
            transfer.faulted(
                    e,
                    bytes.scope().isAlive() ? TransferFault.OWN : edges.path().rank());
            return false;
        }
    }

    @Override
    public boolean hasWish() {
        return eager == null && granted < Math.min(state.ready(), limit());
    }

    private int wishElements() {
        return pieceElements(Math.min(state.ready(), limit()));
    }

    /** {@return how many elements the next piece has if it ends before that element} */
    private int pieceElements(long end) {
        long left = end - granted;
        long piece = target.goodPiece(granted, Math.min(left, usualPiece));
        // What has to be unpacked here comes in usual pieces.
        return (int)
                (bulk
                        ? Math.max(
                                piece,
                                target.together(
                                        granted,
                                        Math.min(
                                                left,
                                                target.elementsIn(
                                                        edges.path().tuning().bulkBytes()))))
                        : piece);
    }

    @Override
    public int wishBytes() {
        return wishElements() * target.elementBytes();
    }

    @Override
    public Window wishWindow() {
        return bulk ? Window.BULK : Window.USUAL;
    }

    @Override
    public Piece grantNext() {
        return next(wishElements(), wishWindow());
    }

    /** {@return the next piece, which is now granted; shorter if there is no memory to unpack it from} */
    private Piece next(int elements, Window window) {
        long from = granted;
        int together = (int) target.together(from, elements);
        Scratch.Block block =
                together == elements ? null : transfer.scratch().take((long) elements * target.elementBytes());
        // Without memory to unpack from, one tensor at a time goes straight into its place.
        int count = block == null ? together : elements;
        granted += count;
        MemorySegment destination = block == null
                ? target.slice(from, count)
                : block.memory().asSlice(0, (long) count * target.elementBytes());
        return new Piece(this, from, count, window, destination, block);
    }

    @Override
    public void withdrawn() {
        broken = true;
    }

    @Override
    public void arrived(Piece piece) {
        try {
            if (!broken) {
                requireNext(piece);
                if (piece.block() != null) {
                    broken = !unpacked(piece.from(), piece.count(), piece.destination());
                }
            }
        } finally {
            piece.letGo();
        }
        landed(piece);
    }

    @Override
    public void lent(Piece piece, Loan loan) {
        try {
            broken = broken || !isRead(piece, loan);
        } finally {
            // Whatever happens: its owner waits for a reader to end.
            edges.path().outbox().giveBack(loan);
            piece.letGo();
        }
        landed(piece);
    }

    private boolean isRead(Piece piece, Loan loan) {
        if (!loan.begin()) {
            return false;
        }
        requireNext(piece);
        return unpacked(piece.from(), piece.count(), loan.memory()) && loan.end();
    }

    private void requireNext(Piece piece) {
        if (piece.from() != progress()) {
            throw new ProtocolException("a piece came before an earlier one: edge=" + edge + ", from=" + piece.from()
                    + ", here=" + progress());
        }
    }

    private void landed(Piece piece) {
        if (broken) {
            return;
        }
        aheadCount -= piece.window() == Window.AHEAD ? 1 : 0;
        progressTo(piece.from() + piece.count());
        askAhead();
    }
}
