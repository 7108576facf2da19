package io.reactivecomm.rcomm.latency;

import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.LinkEvents;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The queue of what one rank sends, over all its links: {@link LinkShape} says when each frame leaves it.
 *
 * <p><b>Buffers.</b> A payload that waits is the sender's memory, and can be taken back: its frame says then, when its turn comes, that it
 * does not come.
 *
 * <p><b>Threads.</b> The loop.
 */
final class DelayedSends {

    /** What a link puts behind a payload, and takes for a header before it. */
    private static final int AROUND_PAYLOAD_BYTES = FrameCodec.DATA_HEADER_BYTES + 1;

    private final Loop loop;
    private final TokenBucket bucket;
    private final ArrayDeque<Departure> waiting = new ArrayDeque<>();
    private @Nullable LinkEvents sink;
    private boolean timerSet;

    /** A frame that has not left, or in its place another. */
    private static final class Departure {

        private final long dueNanos;
        private final ShapedLink link;
        private final Frame frame;
        private final long bytes;
        private boolean isTakenBack;

        private Departure(long dueNanos, ShapedLink link, Frame frame, long bytes) {
            this.dueNanos = dueNanos;
            this.link = link;
            this.frame = frame;
            this.bytes = bytes;
        }
    }

    DelayedSends(Loop loop, LinkShape shape) {
        this.loop = loop;
        this.bucket = new TokenBucket(shape, loop.nanoTime());
    }

    /** From now on there is somebody to tell. */
    void tell(LinkEvents events) {
        sink = events;
    }

    /** {@return how much a frame has of what is measured: as if it travelled by itself} */
    static long bytesOf(Frame frame) {
        return frame instanceof Frame.Data data
                ? bytesOfPayload(data.payload().byteSize())
                : FrameCodec.lengthBound(frame);
    }

    /** {@return the same of a payload with what is around it} */
    static long bytesOfPayload(long lengthBytes) {
        return AROUND_PAYLOAD_BYTES + lengthBytes;
    }

    /** Sends a frame when its turn comes, which may be now. */
    void send(ShapedLink link, Frame frame) {
        long now = loop.nanoTime();
        long bytes = bytesOf(frame);
        long due = bucket.sent(now, bytes);
        if (waiting.isEmpty() && due - now <= 0) {
            link.hand(frame);
            return;
        }
        waiting.add(new Departure(due, link, frame, bytes));
        link.waits(bytes);
        if (!timerSet) {
            awaitFirst();
        }
    }

    /** Lets go of a payload if it waits. {@return whether it did} */
    boolean takeBack(Frame.Data frame) {
        for (Departure each : waiting) {
            if (each.frame == frame) {
                each.isTakenBack = true;
                return true;
            }
        }
        return false;
    }

    /** Hands on all that waits for one link, which ends. */
    void hasten(ShapedLink link) {
        for (Departure each : List.copyOf(waiting)) {
            if (each.link == link) {
                waiting.remove(each);
                hand(each);
            }
        }
    }

    /** Forgets what waits for a link that is down. */
    void forget(ShapedLink link) {
        waiting.removeIf(each -> each.link == link);
    }

    private void awaitFirst() {
        Departure first = waiting.peek();
        timerSet = first != null;
        if (first != null) {
            loop.schedule(this::sendDue, Math.max(0, first.dueNanos - loop.nanoTime()));
        }
    }

    private void sendDue() {
        Set<ShapedLink> sending = new LinkedHashSet<>();
        try {
            for (Departure first = waiting.peek();
                    first != null && first.dueNanos - loop.nanoTime() <= 0;
                    first = waiting.peek()) {
                waiting.remove();
                hand(first);
                sending.add(first.link);
            }
            sending.forEach(ShapedLink::flush);
            new ArrayList<>(sending).forEach(this::tellRoom);
        } finally {
            awaitFirst();
        }
    }

    /** The memory of a payload may have gone while it waited. */
    private void hand(Departure departure) {
        departure.link.goes(departure.bytes);
        if (departure.frame instanceof Frame.Data data) {
            hand(departure.link, data, departure.isTakenBack);
        } else {
            departure.link.hand(departure.frame);
        }
    }

    private void hand(ShapedLink link, Frame.Data data, boolean isTakenBack) {
        LinkEvents listener = Objects.requireNonNull(sink, "payloads are sent by who is told of them");
        if (isTakenBack) {
            link.hand(new Frame.Withdrawn(data.grant()));
            loop.execute(() -> listener.onWritten(link, data));
            return;
        }
        try {
            link.hand(data);
        } catch (IllegalStateException | InternalError e) {
            link.hand(new Frame.Withdrawn(data.grant()));
            loop.execute(() -> listener.onWriteFailed(link, data, e));
        }
    }

    private void tellRoom(ShapedLink link) {
        if (link.hasRoomAgain() && sink != null) {
            sink.onWritable(link);
        }
    }
}
