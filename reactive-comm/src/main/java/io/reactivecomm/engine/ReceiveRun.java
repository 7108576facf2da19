package io.reactivecomm.engine;

import io.reactivecomm.spi.Frame;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Receives one edge straight into its place. */
final class ReceiveRun extends Run implements Intake {

    private final Partner partner;
    private final int edge;
    private final MemorySegment target;
    private final EdgeState state;
    private byte @Nullable [] eager;
    private long granted;

    ReceiveRun(Call call, Partner partner, int edge, MemorySegment target, int elementBytes, long count) {
        super(call, count);
        this.partner = partner;
        this.edge = edge;
        this.target = target;
        this.state = new EdgeState(count, elementBytes);
    }

    @Override
    public Call call() {
        return call;
    }

    @Override
    public Partner partner() {
        return partner;
    }

    @Override
    public int edge() {
        return edge;
    }

    @Override
    public long lengthBytes() {
        return count * state.elementBytes();
    }

    @Override
    public boolean isComplete() {
        return isDone() || eager != null || (count == 0 && state.isAnnounced());
    }

    @Override
    public void announced(Frame.Edge news) {
        state.announced(news);
        eager = news.eager().length > 0 ? news.eager() : null;
        advance();
    }

    @Override
    void advance() {
        if (isDone() || !state.isAnnounced()) {
            return;
        }
        if (count == 0) {
            if (limit() != BLOCKED) {
                progressTo(0);
            }
        } else if (eager != null) {
            takeEager(eager);
        } else if (hasWish()) {
            partner.peer.inbox().wish(this);
        }
    }

    private void takeEager(byte[] bytes) {
        if (limit() == count) {
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, target, 0, bytes.length);
            eager = null;
            progressTo(count);
        }
    }

    @Override
    public boolean hasWish() {
        return eager == null && granted < Math.min(state.ready(), limit());
    }

    private int wishElements() {
        int most = Math.max(1, partner.peer.limits().pieceBytes() / state.elementBytes());
        return (int) Math.min(most, Math.min(state.ready(), limit()) - granted);
    }

    @Override
    public int wishBytes() {
        return wishElements() * state.elementBytes();
    }

    @Override
    public Piece grantNext() {
        int elements = wishElements();
        MemorySegment destination = target.asSlice(granted * state.elementBytes(), (long) elements * state.elementBytes());
        Piece piece = new Piece(this, granted, elements, destination);
        granted += elements;
        return piece;
    }

    @Override
    public void arrived(Piece piece) {
        progressTo(piece.from() + piece.count());
        call.check();
    }
}
