package io.reactivecomm.netty.internal.link;

import io.netty.channel.EventLoop;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The events that a link tells its engine. What arrives is handed on as it is read. The rest, payloads that have left, room for more and
 * the end, is noted where it arises, which may be inside a call of the link. It is handed on by a task of the loop.
 *
 * <p><b>Threads.</b> The loop.
 */
final class DeferredLinkEvents implements IncomingFrames.Sink {

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

    DeferredLinkEvents(Link link, EventLoop loop, OutgoingFrames outgoing) {
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

    @Override
    public void onDataFailed(long grant, Throwable fault) {
        if (takesArrivals && events != null) {
            events.onDataFailed(link, grant, fault);
        }
    }

    void deliverLater() {
        if (!isDue) {
            isDue = true;
            deliverOn(loop);
        }
    }

    /** Once the loop has ended there is no later, and whoever ends the link is alone with it. */
    private void deliverOn(EventLoop loop) {
        try {
            loop.execute(this::deliver);
        } catch (RejectedExecutionException e) {
            deliver();
        }
    }

    /** What is here is also told if somebody throws before: nothing that comes later might have that done. */
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
        boolean isAllTold = false;
        try {
            tell(to);
            isAllTold = true;
        } finally {
            if (!isAllTold && !told) {
                deliverLater();
            }
        }
    }

    private void tell(LinkEvents to) {
        for (OutgoingFrames.Lost lost = outgoing.pollLost(); lost != null; lost = outgoing.pollLost()) {
            to.onWriteFailed(link, lost.frame(), lost.fault());
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
