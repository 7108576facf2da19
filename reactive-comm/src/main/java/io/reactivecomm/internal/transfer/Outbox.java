package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The way out to one peer: control frames at once, granted pieces as the link takes them, the most urgent first.
 *
 * <p>Pieces that the link has not taken can still be withdrawn; the peer is told, so that every grant is answered. Owned by the loop.
 */
public final class Outbox {

    private final Link link;
    private final ByPriority<Outgoing> waiting = new ByPriority<>();
    private final ArrayDeque<Outgoing> handed = new ArrayDeque<>();
    private boolean dirty;

    Outbox(Link link) {
        this.link = link;
    }

    /** A step that sends, as what it sends through knows it. */
    interface Sender {

        /** {@return what is the same for all senders of a call, and for no others} */
        Object call();

        int priority();

        /** {@return what is the same for all that send the same bytes, or null if there is only this one} */
        @Nullable Object content();

        /** The elements of an answered grant have left the tensor, or the peer has read them there: mostly in the order of the grants. */
        void written(Frame.Grant grant);

        /** Its memory could not be read. */
        void faulted(Throwable fault);
    }

    /** A granted piece on its way; without a run once its call has ended. */
    private static final class Outgoing {

        private @Nullable Sender run;
        private final Frame.Grant grant;
        private final Frame.Data frame;
        private Scratch.@Nullable Block packed;

        private Outgoing(Sender run, Frame.Grant grant, MemorySegment piece, Scratch.@Nullable Block packed) {
            this.run = run;
            this.grant = grant;
            // What a piece is packed into is used again, for the next.
            this.frame = new Frame.Data(grant.grant(), piece, packed == null ? run.content() : null);
            this.packed = packed;
        }

        /** Its bytes have left, or will not. */
        private void letGo() {
            if (packed != null) {
                packed.giveBack();
                packed = null;
            }
        }

        private boolean isOf(Object call) {
            return run != null && run.call() == call;
        }
    }

    public void write(Frame control) {
        link.write(control);
        dirty = true;
    }

    /**
     * Answers a grant.
     *
     * @param packed what the piece was packed into, or null if it is the tensor's own memory
     */
    void send(Sender run, Frame.Grant grant, MemorySegment piece, Scratch.@Nullable Block packed) {
        waiting.add(new Outgoing(run, grant, piece, packed), run.priority());
        pump();
    }

    public void pump() {
        while (!waiting.isEmpty() && link.isWritable()) {
            Outgoing next = waiting.remove();
            if (hands(next)) {
                handed.add(next);
                dirty = true;
            }
        }
    }

    /** {@return whether the link has taken a piece; its memory may be gone} */
    private boolean hands(Outgoing next) {
        try {
            MemoryFaults.requireAlive(next.frame.payload());
            link.write(next.frame);
            return true;
        } catch (RuntimeException | InternalError e) {
            giveUp(next);
            Objects.requireNonNull(next.run).faulted(e);
            return false;
        }
    }

    public void written(Frame.Data frame) {
        Outgoing written = take(frame);
        written.letGo();
        Sender run = written.run;
        if (run != null) {
            run.written(written.grant);
        }
    }

    /** A piece will not be written: what the call borrowed is gone. The link has told the peer that this one does not come. */
    public void writeFailed(Frame.Data frame, Throwable fault) {
        Outgoing lost = take(frame);
        lost.letGo();
        Sender run = lost.run;
        if (run != null) {
            run.faulted(fault);
        }
    }

    /** Nearly always the first; a peer that reads in place gives back in whatever order it is done. */
    private Outgoing take(Frame.Data frame) {
        if (!handed.isEmpty() && handed.element().frame == frame) {
            return handed.remove();
        }
        for (Iterator<Outgoing> each = handed.iterator(); each.hasNext(); ) {
            Outgoing next = each.next();
            if (next.frame == frame) {
                each.remove();
                return next;
            }
        }
        throw new IllegalStateException(
                "a link reported a piece that it was not given: peer=" + link.peer() + ", grant=" + frame.grant());
    }

    /** The peer may have its memory again. */
    void giveBack(Loan loan) {
        loan.giveBack();
        dirty = true;
    }

    /** Lets go of all memory of a call that has ended, by what its {@link Sender#call senders} name it. */
    void withdraw(Object call) {
        waiting.forEach(next -> {
            if (next.isOf(call)) {
                giveUp(next);
            }
        });
        waiting.removeIf(next -> next.isOf(call));
        for (Outgoing next : handed) {
            if (next.isOf(call)) {
                next.run = null;
                link.withdraw(next.frame);
                next.letGo();
            }
        }
    }

    /** Answers the grant of a piece that has not been handed to the link. */
    private void giveUp(Outgoing next) {
        next.letGo();
        write(new Frame.Withdrawn(next.frame.grant()));
    }

    public void flush() {
        if (dirty) {
            dirty = false;
            link.flush();
        }
    }

    /** The peer has left in good order, after it had got all that it asked for: what the link was given counts as written. */
    public void settle() {
        List<Outgoing> all = List.copyOf(handed);
        clear();
        for (Outgoing each : all) {
            if (each.run != null) {
                each.run.written(each.grant);
            }
        }
    }

    /** Forgets everything and lets go of all memory: the peer is gone, though the link may linger. */
    void clear() {
        handed.forEach(next -> {
            link.withdraw(next.frame);
            next.letGo();
        });
        waiting.forEach(Outgoing::letGo);
        waiting.clear();
        handed.clear();
    }
}
