package io.reactivecomm.spi.link;

import io.reactivecomm.Traffic;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what a link sends.
 *
 * <p><b>Threads.</b> Counted on the loop alone, so that it costs no more than an addition; read by any, which may see it a moment late.
 */
public final class TrafficCounter {

    private final AtomicLong frames = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /** A frame was written to the link. */
    public void frame() {
        add(frames, 1);
    }

    /** So many bytes, of one or more frames, were handed on at once. */
    public void write(long length) {
        add(writes, 1);
        add(bytes, length);
    }

    private static void add(AtomicLong counter, long more) {
        counter.setOpaque(counter.getPlain() + more);
    }

    /** {@return what was counted until now} */
    public Traffic read() {
        return new Traffic(frames.getOpaque(), writes.getOpaque(), bytes.getOpaque());
    }
}
