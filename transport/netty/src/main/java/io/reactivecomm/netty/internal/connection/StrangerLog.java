package io.reactivecomm.netty.internal.connection;

import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.spi.WarningLog;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Counts connections that were turned away, and mentions them in one line now and then, so that a port scan fills no log.
 *
 * <p><b>Threads.</b> The listener's event loop; {@link #total} from any.
 */
public final class StrangerLog {

    private static final Logger LOG = WarningLog.of(StrangerLog.class);

    /** No more than one line in this time. */
    private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String listener;
    private final EventExecutor executor;
    private final Timers timers;
    private volatile int total;
    private int wrongTokens;
    private int unreported;
    private String latest = "";

    /** @param listener what they came to, for the line */
    public StrangerLog(String listener, EventExecutor executor, Timers timers) {
        this.listener = listener;
        this.executor = executor;
        this.timers = timers;
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // Written by one thread.
    public void count(String remote, String reason) {
        total++;
        latest = remote + ": " + reason;
        if (unreported++ == 0) {
            timers.schedule(executor, this::report, EVERY_NANOS);
        }
    }

    /** Counts one that finished its handshake and was told why it may not enter. */
    void countRefused(String remote, Handshake.Refusal refusal, String text) {
        if (refusal == Handshake.Refusal.TOKEN) {
            wrongTokens++;
        }
        count(remote, text);
    }

    private void report() {
        LOG.warn(
                "turned away connections to {}: count={}, latest={}; they do not disturb the ranks",
                listener,
                unreported,
                latest);
        unreported = 0;
    }

    /** {@return what they came to, for messages} */
    String listener() {
        return listener;
    }

    /** {@return how many were turned away} */
    public int total() {
        return total;
    }

    /** {@return how many of them had another token} */
    public int wrongTokens() {
        return wrongTokens;
    }
}
