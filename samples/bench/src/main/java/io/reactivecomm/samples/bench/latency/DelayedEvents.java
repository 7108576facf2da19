package io.reactivecomm.samples.bench.latency;

import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Link;
import io.reactivecomm.spi.LinkEvents;
import io.reactivecomm.spi.Loan;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.PeerNews;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Tells the engine of whatever a link brings a fixed time after it came.
 *
 * <pre>
 *   peer      ── frame ─ payload ─ end ──&gt; link ──┐
 *                                                 ├ latency ┤── frame ─ payload ─ end ──&gt; engine
 * </pre>
 *
 * <p>Only what comes from the peer is delayed; what the link tells of its own sending is passed on at once. So a call and its answer take
 * twice the latency more, and any number of frames may be under way: bandwidth is the link's own.
 *
 * <p><b>Buffers.</b> The destination of a payload may be asked for no sooner than the header is due, so the payload waits in memory of its
 * own, and is copied once more than without latency.
 *
 * <p><b>Threads.</b> The loop.
 */
public final class DelayedEvents implements LinkEvents {

    private final Loop loop;
    private final long latencyNanos;
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
     * @param sink whom to tell
     */
    public DelayedEvents(Loop loop, Duration latency, LinkEvents sink) {
        this.loop = loop;
        this.latencyNanos = latency.toNanos();
        this.sink = sink;
    }

    @Override
    public void onFrame(Link link, Frame frame) {
        Frame kept = frame.kept();
        later(() -> guarded(link, () -> sink.onFrame(link, kept)));
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
            throw new IllegalStateException("a payload ended that had not begun: grant=" + grant + "; report this as a defect of the link");
        }
        later(() -> guarded(link, () -> deliver(link, grant, payload)));
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
        MemorySegment payload = MemorySegment.ofArray(new byte[(int) loan.memory().byteSize()]);
        boolean intact = loan.begin();
        if (intact) {
            payload.copyFrom(loan.memory());
            intact = loan.end();
        }
        loan.giveBack();
        link.flush();
        boolean isWhole = intact;
        later(() -> guarded(link, () -> {
            if (isWhole) {
                deliver(link, grant, payload);
            } else {
                sink.onFrame(link, new Frame.Withdrawn(grant));
            }
        }));
    }

    @Override
    public void onWritten(Link link, Frame.Data frame) {
        sink.onWritten(link, frame);
    }

    @Override
    public void onWriteFailed(Link link, Frame.Data frame, Throwable fault) {
        sink.onWriteFailed(link, frame, fault);
    }

    @Override
    public void onWritable(Link link) {
        sink.onWritable(link);
    }

    @Override
    public void onNews(PeerNews news) {
        later(() -> sink.onNews(news));
    }

    @Override
    public void onDown(Link link, @Nullable String cause) {
        payloads.remove(link);
        later(() -> sink.onDown(link, refused.getOrDefault(link, cause)));
    }

    /** The link itself would go down at once; here it is closed, and says so in its own time. */
    private void guarded(Link link, Runnable delivery) {
        if (refused.containsKey(link)) {
            return;
        }
        try {
            delivery.run();
        } catch (ProtocolException e) {
            refused.put(link, String.valueOf(e.getMessage()));
            link.close();
        }
    }

    private void later(Runnable delivery) {
        underWay.add(new Arrival(loop.nanoTime() + latencyNanos, delivery));
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
            for (Arrival first = underWay.peek(); first != null && first.dueNanos - loop.nanoTime() <= 0; first = underWay.peek()) {
                underWay.remove();
                first.delivery.run();
            }
        } finally {
            awaitFirst();
        }
    }
}
