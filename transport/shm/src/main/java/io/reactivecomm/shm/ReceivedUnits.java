package io.reactivecomm.shm;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The units that the peer of a {@link ShmLink} sends, on to the engine; once this side has closed, nobody wants it.
 *
 * <p><b>Threads.</b> The loop.
 */
final class ReceivedUnits implements IncomingUnits.Sink {

    private final ShmLink link;
    private final PeerMemory theirs;
    private final OutgoingPayloads payloads;
    private boolean goodbye;
    private boolean lends;

    /** @param payloads what this rank has lent, and the peer gives back */
    ReceivedUnits(ShmLink link, PeerMemory theirs, OutgoingPayloads payloads) {
        this.link = link;
        this.theirs = theirs;
        this.payloads = payloads;
    }

    /** {@return whether the peer has said goodbye} */
    boolean hasGoodbye() {
        return goodbye;
    }

    /** {@return whether the peer's last payload was a tensor's memory, not a copy of it} */
    boolean areLent() {
        return lends;
    }

    private LinkEvents to() {
        LinkEvents sink = link.events();
        if (sink == null) {
            throw new IllegalStateException("a link that was not started delivers: peer=" + link.peer());
        }
        return sink;
    }

    @Override
    public void frame(Frame frame) {
        goodbye |= frame instanceof Frame.Goodbye;
        if (link.isOpen()) {
            to().onFrame(link, frame);
        }
    }

    @Override
    public @Nullable MemorySegment payloadStart(long grant, int lengthBytes) {
        return link.isOpen() ? to().onDataStart(link, grant, lengthBytes) : null;
    }

    @Override
    public void payloadEnd(long grant) {
        if (link.isOpen()) {
            to().onDataEnd(link, grant);
        }
    }

    @Override
    public void payloadFailed(long grant, Throwable fault) {
        if (link.isOpen()) {
            to().onDataFailed(link, grant, fault);
        }
    }

    @Override
    public void lent(long grant, long offset, int lengthBytes, int place, long word, boolean scarce, boolean copied) {
        lends = !copied;
        Loan loan = theirs.borrow(offset, lengthBytes, place, word, scarce);
        if (!link.isOpen()) {
            loan.giveBack();
        } else if (loan.begin()) {
            to().onDataLent(link, grant, loan);
        } else {
            loan.giveBack();
            to().onFrame(link, new Frame.Withdrawn(grant));
        }
    }

    @Override
    public void returned(int place) {
        payloads.returned(place);
    }
}
