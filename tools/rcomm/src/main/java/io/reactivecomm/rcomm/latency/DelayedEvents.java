package io.reactivecomm.rcomm.latency;

import io.reactivecomm.CommException;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.Loan;
import io.reactivecomm.spi.link.PeerNews;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The arrivals of one rank: tells the engine of whatever its links bring when {@link LinkShape} lets it in, and the latency later.
 *
 * <pre>
 *   peer      ── frame ─ payload ─ end ──&gt; link ──┐
 *                                                 ├ rate ┤ latency ┤── frame ─ payload ─ end ──&gt; engine
 *   another   ── frame ─ payload ─ end ──&gt; link ──┘
 * </pre>
 *
 * <p>Only what comes from peers is delayed; what a link tells of its own sending is passed on at once. So a call and its answer take
 * twice the latency more, and any number of frames may be under way.
 *
 * <p><b>Buffers.</b> The destination of a payload may be asked for no sooner than the header is due, so the payload waits in memory of its
 * own, and is copied once more than without a delay.
 *
 * <p><b>Threads.</b> The loop.
 */
final class DelayedEvents implements LinkEvents {

    private final Loop loop;
    private final long latencyNanos;
    private final TokenBucket bucket;
    private final Shaper shaper;
    private final LinkEvents sink;
    private final Queue<Arrival> underWay = new ArrayDeque<>();
    private final Map<Link, MemorySegment> payloads = new HashMap<>();
    /** Links of which the sink has refused something, and why. */
    private final Map<Link, String> refused = new HashMap<>();

    private boolean timerSet;

    /** An event that has come and is not told yet. */
    private record Arrival(long dueNanos, Runnable delivery) {}

    /**
     * Delays the events of all links of a loop.
     *
     * @param shaper knows how the engine sees each link
     * @param sink whom to tell
     */
    DelayedEvents(Loop loop, LinkShape shape, Shaper shaper, LinkEvents sink) {
        this.loop = loop;
        this.latencyNanos = shape.latency().toNanos();
        this.bucket = new TokenBucket(shape, loop.nanoTime());
        this.shaper = shaper;
        this.sink = sink;
    }

    @Override
    public void onFrame(Link link, Frame frame) {
        Frame kept = frame.kept();
        Link shaped = shaper.of(link);
        later(DelayedSends.bytesOf(kept), () -> guarded(link, () -> sink.onFrame(shaped, kept)));
    }

    @Override
    public MemorySegment onDataStart(Link link, long grant, int lengthBytes) {
        MemorySegment payload = MemorySegment.ofArray(new byte[lengthBytes]);
        payloads.put(link, payload);
        return payload;
    }

    @Override
    public void onDataEnd(Link link, long grant) {
        MemorySegment payload = payloads.remove(link);
        if (payload == null) {
            throw new IllegalStateException(
                    "a payload ended that had not begun: grant=" + grant + "; report this as a defect of the link");
        }
        later(
                DelayedSends.bytesOfPayload(payload.byteSize()),
                () -> guarded(link, () -> deliver(shaper.of(link), grant, payload)));
    }

    /** Never: payloads arrive in memory of this class's own. */
    @Override
    public void onDataFailed(Link link, long grant, Throwable fault) {
        throw new IllegalStateException("a payload could not be kept: grant=" + grant, fault);
    }

    private void deliver(Link link, long grant, MemorySegment payload) {
        MemorySegment destination = sink.onDataStart(link, grant, (int) payload.byteSize());
        try {
            if (destination != null) {
                destination.copyFrom(payload);
            }
        } catch (IllegalStateException | InternalError e) {
            sink.onDataFailed(link, grant, e);
            return;
        }
        sink.onDataEnd(link, grant);
    }

    /** Read at once, as a network would: by the time it is told the link may have ended, and its memory be somebody else's. */
    @Override
    public void onDataLent(Link link, long grant, Loan loan) {
        MemorySegment payload =
                MemorySegment.ofArray(new byte[(int) loan.memory().byteSize()]);
        boolean intact = loan.begin();
        if (intact) {
            payload.copyFrom(loan.memory());
            intact = loan.end();
        }
        loan.giveBack();
        link.flush();
        boolean isWhole = intact;
        Link shaped = shaper.of(link);
        later(
                DelayedSends.bytesOfPayload(payload.byteSize()),
                () -> guarded(link, () -> {
                    if (isWhole) {
                        deliver(shaped, grant, payload);
                    } else {
                        sink.onFrame(shaped, new Frame.Withdrawn(grant));
                    }
                }));
    }

    @Override
    public void onWritten(Link link, Frame.Data frame) {
        sink.onWritten(shaper.of(link), frame);
    }

    @Override
    public void onWriteFailed(Link link, Frame.Data frame, Throwable fault) {
        sink.onWriteFailed(shaper.of(link), frame, fault);
    }

    @Override
    public void onWritable(Link link) {
        // One whose queue is full will say so itself when it is not.
        Link shaped = shaper.of(link);
        if (shaped.isWritable()) {
            sink.onWritable(shaped);
        }
    }

    @Override
    public void onNews(PeerNews news) {
        later(0, () -> sink.onNews(news));
    }

    @Override
    public boolean hearsOfClocks() {
        return sink.hearsOfClocks();
    }

    @Override
    public void onDown(Link link, @Nullable String cause) {
        payloads.remove(link);
        shaper.ended(link);
        later(0, () -> sink.onDown(shaper.of(link), refused.getOrDefault(link, cause)));
    }

    /** The link itself would go down at once; here it is closed, and says so in its own time. */
    private void guarded(Link link, Runnable delivery) {
        if (refused.containsKey(link)) {
            return;
        }
        try {
            delivery.run();
        } catch (ProtocolException e) {
            refused.put(link, CommException.textOf(e));
            link.close();
        }
    }

    private void later(long bytes, Runnable delivery) {
        long now = loop.nanoTime();
        long due = bucket.received(now, bytes) + latencyNanos;
        if (underWay.isEmpty() && due - now <= 0) {
            delivery.run();
            return;
        }
        underWay.add(new Arrival(due, delivery));
        if (!timerSet) {
            awaitFirst();
        }
    }

    private void awaitFirst() {
        Arrival first = underWay.peek();
        timerSet = first != null;
        if (first != null) {
            loop.schedule(this::deliverDue, Math.max(0, first.dueNanos - loop.nanoTime()));
        }
    }

    private void deliverDue() {
        try {
            for (Arrival first = underWay.peek();
                    first != null && first.dueNanos - loop.nanoTime() <= 0;
                    first = underWay.peek()) {
                underWay.remove();
                first.delivery.run();
            }
        } finally {
            awaitFirst();
        }
    }
}
