package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.link.MappedPages;
import java.lang.foreign.MemorySegment;

/**
 * Copies within the rank; nothing to do where source and target are one. What takes long is done a slice at a time, with whatever else there is
 * to do in between.
 */
final class CopyRun extends Run implements Later.Turn {

    private final RowSlice source;
    private final RowSlice target;
    private final Later later;
    private boolean waitsForTurn;

    CopyRun(Transfer transfer, RowSlice source, RowSlice target, Later later) {
        super(transfer, target.count());
        this.source = source;
        this.target = target;
        this.later = later;
    }

    @Override
    void advance() {
        if (!isDone() && !waitsForTurn && limit() == count) {
            copySlice();
        }
    }

    @Override
    public void resume() {
        if (transfer.isRunning()) {
            waitsForTurn = false;
            advance();
        }
    }

    private void copySlice() {
        long from = progress();
        long to = Math.min(count, from + target.elementsIn(transfer.limits().sliceBytes()));
        if (!copied(from, to)) {
            return;
        }
        waitsForTurn = to < count;
        if (waitsForTurn) {
            later.add(this);
        }
        progressTo(to);
    }

    private boolean copied(long from, long to) {
        try {
            for (long at = from; at < to; ) {
                long here = target.together(at, source.together(at, to - at));
                copy(source.slice(at, here), target.slice(at, here));
                at += here;
            }
            return true;
        } catch (RuntimeException | InternalError e) {
            transfer.faulted(e);
            return false;
        }
    }

    private static void copy(MemorySegment from, MemorySegment to) {
        if (from.address() != to.address()) {
            to.copyFrom(from);
            MappedPages.hearOfThem(from, to);
        }
    }
}
