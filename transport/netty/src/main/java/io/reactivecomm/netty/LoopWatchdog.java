package io.reactivecomm.netty;

import io.reactivecomm.spi.Loop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that a callback holds the loop: when a task has waited there for {@link #STALL_NANOS}, it logs what the loop is doing, once a
 * stall.
 *
 * <p><b>Threads.</b> {@link #look} on the control thread.
 */
final class LoopWatchdog {

    private static final Logger log = LoggerFactory.getLogger(LoopWatchdog.class);

    static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Loop loop;
    private volatile boolean answered = true;
    private long askedAt;
    private boolean told;

    LoopWatchdog(Loop loop) {
        this.loop = loop;
    }

    void look(long now) {
        if (answered) {
            answered = false;
            told = false;
            askedAt = now;
            ask();
        } else if (!told && now - askedAt >= STALL_NANOS) {
            told = true;
            log.warn(stall(now));
        }
    }

    private void ask() {
        try {
            loop.execute(() -> answered = true);
        } catch (RejectedExecutionException e) {
            log.trace("the loop has ended", e);
        }
    }

    private String stall(long now) {
        StringBuilder text = new StringBuilder(
                "a callback holds the loop: thread=" + loop.thread().getName() + ", for="
                        + TimeUnit.NANOSECONDS.toMillis(now - askedAt) / 1000.0
                        + " s; use publishOn before work that takes long or blocks");
        for (StackTraceElement frame : loop.thread().getStackTrace()) {
            text.append("\n    at ").append(frame);
        }
        return text.toString();
    }
}
