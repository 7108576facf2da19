package io.reactivecomm.netty;

import io.netty.channel.EventLoop;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Link;
import io.reactivecomm.spi.LinkEvents;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What a link tells its engine. What arrives is handed on as it is read. The rest, payloads that have left, room for more and the end, is noted
 * where it arises, which may be inside a call of the link, and handed on by a task of the loop.
 *
 * <p><b>Threads.</b> The loop.
 */
final class LinkNews implements IncomingFrames.Sink {

    private final Link link;
    private final EventLoop loop;
    private final OutgoingFrames outgoing;
    private @Nullable LinkEvents events;
    private @Nullable Runnable ended;
    private boolean takesArrivals;
    private boolean saidGoodbye;
    private boolean unwritable;
    private boolean isDue;
    private boolean isDown;
    private boolean told;
    private @Nullable String cause;

    LinkNews(Link link, EventLoop loop, OutgoingFrames outgoing) {
        this.link = link;
        this.loop = loop;
        this.outgoing = outgoing;
    }

    /**
     * From now on there is somebody to tell.
     *
     * @param takesArrivals whether of what arrives, too
     */
    void tell(LinkEvents events, boolean takesArrivals) {
        this.events = events;
        this.takesArrivals = takesArrivals;
    }

    /** Nobody wants what still arrives. */
    void forgetArrivals() {
        takesArrivals = false;
    }

    /** {@return whether the peer has} */
    boolean saidGoodbye() {
        return saidGoodbye;
    }

    /** Has something run when the link has gone down, whether or not there is somebody to tell. */
    void whenEnded(Runnable ended) {
        this.ended = ended;
    }

    /** A frame was written, which may have taken the last room. */
    void wrote() {
        unwritable |= !outgoing.isWritable();
    }

    /** The link has gone down; without a cause in good order. */
    void down(@Nullable String cause) {
        forgetArrivals();
        isDown = true;
        this.cause = cause;
        deliverLater();
    }

    @Override
    public void onFrame(Frame frame) {
        saidGoodbye |= frame instanceof Frame.Goodbye;
        if (takesArrivals && events != null) {
            events.onFrame(link, frame);
        }
    }

    @Override
    public @Nullable MemorySegment onDataStart(long grant, int lengthBytes) {
        return takesArrivals && events != null ? events.onDataStart(link, grant, lengthBytes) : null;
    }

    @Override
    public void onDataEnd(long grant) {
        if (takesArrivals && events != null) {
            events.onDataEnd(link, grant);
        }
    }

    void deliverLater() {
        if (!isDue) {
            isDue = true;
            loop.execute(this::deliver);
        }
    }

    private void deliver() {
        isDue = false;
        if (isDown) {
            outgoing.forget();
        }
        LinkEvents to = events;
        if (to == null || told) {
            tellEnded();
            return;
        }
        for (Frame.Data sent = outgoing.pollSent(); sent != null; sent = outgoing.pollSent()) {
            to.onWritten(link, sent);
        }
        if (isDown) {
            told = true;
            tellEnded();
            to.onDown(link, cause);
        } else if (unwritable && outgoing.isWritable()) {
            unwritable = false;
            to.onWritable(link);
        }
    }

    private void tellEnded() {
        Runnable listener = ended;
        if (isDown && listener != null) {
            ended = null;
            listener.run();
        }
    }
}
