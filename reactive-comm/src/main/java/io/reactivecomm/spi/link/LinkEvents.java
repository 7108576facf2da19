package io.reactivecomm.spi.link;

import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The events of a link, as it tells them to the engine. All methods but {@link #hearsOfClocks} are called on the loop, one at a time, and never from
 * inside a call of {@link Link}'s.
 */
public interface LinkEvents {

    /** A frame other than {@link Frame.Data} has arrived; its eager bytes, if they are not on the heap, are good until this returns. */
    void onFrame(Link link, Frame frame);

    /**
     * The header of a {@link Frame.Data} has arrived. The end of its payload follows: {@link #onDataEnd}, {@link #onDataFailed}, or a
     * {@link Frame.Withdrawn} if the sender's memory was gone before all of it had left.
     *
     * @param lengthBytes the payload's length
     * @return where its {@code lengthBytes} bytes go, or null to read and forget them
     * @throws ProtocolException if no such grant was given; the link then goes down
     */
    @Nullable MemorySegment onDataStart(Link link, long grant, int lengthBytes);

    /** The payload of that grant has arrived whole, whether it was kept or forgotten. */
    void onDataEnd(Link link, long grant);

    /**
     * The payload of that grant has arrived whole, and could not be put where it goes: the memory there is gone. Comes instead of
     * {@link #onDataEnd}.
     *
     * @param fault what happened when the link wrote there
     */
    void onDataFailed(Link link, long grant, Throwable fault);

    /**
     * The payload of a {@link Frame.Data} is in reach where it lies; comes instead of {@link #onDataStart} and {@link #onDataEnd}.
     *
     * @param loan the payload, to be given back
     * @throws ProtocolException if no such grant was given; the link then goes down
     */
    void onDataLent(Link link, long grant, Loan loan);

    /** A {@link Frame.Data} has left the sender's memory, or its reader has given that back. */
    void onWritten(Link link, Frame.Data frame);

    /**
     * A {@link Frame.Data} will not arrive: the sender's memory went before all of it had left, and the peer gets a
     * {@link Frame.Withdrawn}. Comes instead of {@link #onWritten}, and maybe before that of frames that were written earlier.
     *
     * @param fault what happened when the link read there; an {@link InternalError} if a page is gone
     */
    void onWriteFailed(Link link, Frame.Data frame, Throwable fault);

    /** The link takes {@link Frame.Data} again. */
    void onWritable(Link link);

    /** The transport has found out something about a rank, which may be this one. What it says of a link, that link's end follows. */
    void onNews(PeerNews news);

    /**
     * {@return whether {@link PeerNews.ClockCompared} is of use now} It is for observers alone, and there are many of them in a large world: what is of
     * none need not be told, nor brought to the loop. For any thread.
     */
    default boolean hearsOfClocks() {
        return true;
    }

    /**
     * The link is no more; nothing follows. Payloads of frames not yet written are no longer referred to.
     *
     * @param cause what happened, in words for an error message; null if the peer or this side ended it in good order
     */
    void onDown(Link link, @Nullable String cause);
}
