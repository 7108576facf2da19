package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;

/**
 * The bytes that travel with announcements between this rank and one peer, which nobody has asked for.
 *
 * <p>A rank that waits for a third one keeps them, so they have a window: each side tells how many it has let go of, and a transfer for
 * which there is no room waits for a grant like a large one. Owned by the loop.
 */
public final class EagerWindow {

    /** The peer is told when this part of a window has been let go of: seldom, and long before its window is full. */
    private static final int TOLD_PARTS = 4;

    private final long windowBytes;
    private long sent;
    private long takenByPeer;
    private long received;
    private long kept;
    private long told;

    EagerWindow(long windowBytes) {
        this.windowBytes = windowBytes;
    }

    /** {@return whether so many bytes may be sent; none always may, for nobody asks for nothing} */
    boolean hasRoom(long bytes) {
        return bytes == 0 || sent - takenByPeer + bytes <= windowBytes;
    }

    void sent(long bytes) {
        sent += bytes;
    }

    /**
     * The peer keeps nothing of that many bytes, counted from the first on.
     *
     * @throws ProtocolException if it was not sent so many, or has said more before
     */
    public void takenByPeer(long bytes) {
        if (bytes > sent || bytes < takenByPeer) {
            throw new ProtocolException(
                    "a peer took what it was not sent: taken=" + bytes + ", sent=" + sent + ", before=" + takenByPeer);
        }
        takenByPeer = bytes;
    }

    /** Bytes have come; whoever keeps some says so. */
    public void received(long bytes) {
        received += bytes;
    }

    public void keep(long bytes) {
        kept += bytes;
    }

    public void letGo(long bytes) {
        kept -= bytes;
    }

    /** {@return bytes of the peer that are kept here} */
    public long kept() {
        return kept;
    }

    /** {@return whether the peer is to be told something that matters} */
    boolean hasNews() {
        long taken = received - kept;
        return taken != told && (taken - told) * TOLD_PARTS >= windowBytes;
    }

    /** {@return what the peer is to be told} */
    Frame.Taken news() {
        told = received - kept;
        return new Frame.Taken(told);
    }
}
