package io.reactivecomm.spi;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that something, mostly a callback, holds the loop: when a task has waited there for {@link #STALL_NANOS}, it logs what the loop is doing, once a
 * stall.
 *
 * <p><b>Threads.</b> {@link #look} on one thread other than the loop's.
 */
public final class LoopWatchdog {

    /** How long a task may wait before that is worth a warning, in nanoseconds; contract 2's second. */
    public static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(LoopWatchdog.class);

    /** Peers are told no more: enough to see whose code it is. */
    private static final int TOLD_FRAMES = 6;

    private final Loop loop;
    private volatile boolean answered = true;
    private long askedAt;
    private boolean told;

    /** Watches a loop, whenever it is told to {@link #look}. */
    public LoopWatchdog(Loop loop) {
        this.loop = loop;
    }

    /** Looks whether the loop has run a task since the last look. Called a few times a second, with a clock in nanoseconds. */
    public void look(long now) {
        if (answered) {
            answered = false;
            told = false;
            askedAt = now;
            ask();
        } else if (!told && now - askedAt >= STALL_NANOS) {
            told = true;
            LOG.warn(stall(now));
        }
    }

    /** {@return for how long a task has waited by now, or 0 if that is not worth a warning} */
    public long heldUpNanos(long now) {
        boolean isHeldUp = !answered && now - askedAt >= STALL_NANOS;
        return isHeldUp ? now - askedAt : 0;
    }

    /** {@return what the loop is doing now, in a few words: the innermost frames of its stack} */
    public String doing() {
        StringBuilder text = new StringBuilder();
        StackTraceElement[] stack = loop.thread().getStackTrace();
        for (int i = 0; i < Math.min(stack.length, TOLD_FRAMES); i++) {
            text.append(i == 0 ? "" : " < ").append(stack[i].getClassName()).append('.').append(stack[i].getMethodName());
            text.append(':').append(stack[i].getLineNumber());
        }
        return text.toString();
    }

    /** {@return whether the loop has a thread still} */
    public boolean isAlive() {
        return loop.thread().isAlive();
    }

    private void ask() {
        loop.execute(() -> answered = true);
    }

    private String stall(long now) {
        StackTraceElement[] stack = loop.thread().getStackTrace();
        StringBuilder text = new StringBuilder(
                "the loop is held up: thread=" + loop.thread().getName() + ", for="
                        + TimeUnit.NANOSECONDS.toMillis(now - askedAt) / 1000.0
                        + " s, " + StackOwner.advice(stack));
        for (StackTraceElement frame : stack) {
            text.append("\n    at ").append(frame);
        }
        return text.toString();
    }
}
