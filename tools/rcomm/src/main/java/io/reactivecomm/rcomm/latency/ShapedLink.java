package io.reactivecomm.rcomm.latency;

import io.reactivecomm.Traffic;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkTraits;

/**
 * A link over which frames leave in the turn of all that their rank sends: {@link DelayedSends}.
 *
 * <p>It is asked for as much as a link between machines is, {@link LinkTraits#USUAL}, whatever the one below would like.
 *
 * <p><b>Threads.</b> The loop, but for {@link #peer} and {@link #traffic}.
 */
final class ShapedLink implements Link {

    /** From here on payloads wait at the caller: as much as a TCP link takes. */
    private static final long HIGH_BYTES = 1 << 20;

    /** Here the caller is asked for more. */
    private static final long LOW_BYTES = HIGH_BYTES / 2;

    private final Link link;
    private final DelayedSends departures;
    private long waitingBytes;
    private boolean isFull;

    ShapedLink(Link link, DelayedSends departures) {
        this.link = link;
        this.departures = departures;
    }

    /** So many bytes more wait. */
    void waits(long bytes) {
        waitingBytes += bytes;
        isFull |= waitingBytes >= HIGH_BYTES;
    }

    /** So many bytes wait no more. */
    void goes(long bytes) {
        waitingBytes -= bytes;
    }

    /** {@return whether it takes payloads that it did not take before, which is said once} */
    boolean hasRoomAgain() {
        boolean reopens = isFull && waitingBytes <= LOW_BYTES;
        isFull &= !reopens;
        return reopens && link.isWritable();
    }

    /** Hands a frame to the link itself. */
    void hand(Frame frame) {
        link.write(frame);
    }

    @Override
    public int peer() {
        return link.peer();
    }

    @Override
    public boolean isWritable() {
        return !isFull && link.isWritable();
    }

    @Override
    public LinkTraits traits() {
        return LinkTraits.USUAL;
    }

    @Override
    public boolean encodes() {
        return link.encodes();
    }

    /** A frame that waits keeps them. */
    @Override
    public boolean copiesEagerBytes() {
        return false;
    }

    @Override
    public void write(Frame frame) {
        departures.send(this, frame);
    }

    @Override
    public void flush() {
        link.flush();
    }

    @Override
    public void withdraw(Frame.Data frame) {
        if (!departures.takeBack(frame)) {
            link.withdraw(frame);
        }
    }

    @Override
    public void drain(long grant) {
        link.drain(grant);
    }

    @Override
    public Traffic traffic() {
        return link.traffic();
    }

    /** What waits leaves at once: nobody measures an end. */
    @Override
    public void close() {
        departures.hasten(this);
        link.close();
    }
}
