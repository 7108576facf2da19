package io.reactivecomm.spi;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.StackOwner;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Notices that something, mostly a callback, holds the loop: when a task has waited there for {@link #STALL_NANOS}, it logs what the loop is doing, once a
 * stall.
 *
 * <p>A JVM that starts on a busy machine loads classes for seconds, and users cannot change that. So nothing is logged while the loop loads classes, for
 * {@link #LOADING_NANOS} at most. Unless the program's own code runs on the loop, class loading anywhere in the JVM counts.
 *
 * <p><b>Threads.</b> {@link #look} on one thread other than the loop's.
 */
public final class LoopWatchdog {

    /** How long a task may wait before that is worth a warning, in nanoseconds; contract 2's second. */
    public static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The longest time for which class loading suppresses a warning, because a class loader may hang. */
    static final long LOADING_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The most lines of a warning, including the first one. */
    static final int MOST_LINES = 10;

    private static final Logger LOG = WarningLog.of(LoopWatchdog.class);

    /** The frames of a stack that peers receive: enough to recognise the code. */
    private static final int TOLD_FRAMES = 6;

    private static final long UNKNOWN = -1;

    private final Loop loop;
    private final LongSupplier loadedClasses;
    private volatile boolean answered = true;
    private long askedAt;
    private boolean told;
    private boolean hasFailed;
    /** The JVM's count of loaded classes at the last look at a held-up loop. */
    private long classes = UNKNOWN;

    /** Watches a loop, at each {@link #look}. */
    public LoopWatchdog(Loop loop) {
        // The bean is used only when a loop is held up, because its classes take time to load.
        this(loop, () -> ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
    }

    /** @param loadedClasses the JVM's count of loaded classes */
    LoopWatchdog(Loop loop, LongSupplier loadedClasses) {
        this.loop = loop;
        this.loadedClasses = loadedClasses;
    }

    /**
     * Looks whether the loop has run a task since the last look. Called a few times a second, with a clock in nanoseconds. It throws nothing, because timers drop a
     * task that has thrown. A failure is logged once.
     */
    public void look(long now) {
        try {
            lookAt(now);
        } catch (Exception | Error e) {
            failed(e);
        }
    }

    private void failed(Throwable error) {
        boolean isFirst = !hasFailed;
        hasFailed = true;
        try {
            if (isFirst) {
                LOG.warn(
                        "the watchdog of a loop failed, and looks again later: thread={}",
                        loop.thread().getName(),
                        ErrorTexts.printable(error));
            }
        } catch (Exception | Error worse) {
            // For example there is no memory to log. The next failure is logged.
            hasFailed = !isFirst;
        }
    }

    private void lookAt(long now) {
        if (answered) {
            answered = false;
            told = false;
            askedAt = now;
            classes = UNKNOWN;
            ask();
        } else if (!told && now - askedAt >= STALL_NANOS) {
            StackTraceElement[] stack = loop.thread().getStackTrace();
            boolean isExcused = isLoading(stack) && now - askedAt < LOADING_NANOS;
            if (!isExcused) {
                told = true;
                LOG.warn(stall(stack, now));
            }
        }
    }

    /** {@return for how long a task has waited by now, or 0 if that is not worth a warning} */
    public long heldUpNanos(long now) {
        boolean isHeldUp = !answered && now - askedAt >= STALL_NANOS;
        return isHeldUp ? now - askedAt : 0;
    }

    /** {@return what the loop does now: the innermost frames of its stack, and those of the responsible code} */
    public String doing() {
        return String.join(" < ", StackOwner.shown(loop.thread().getStackTrace(), TOLD_FRAMES));
    }

    /** {@return whether the loop has a thread still} */
    public boolean isAlive() {
        return loop.thread().isAlive();
    }

    private void ask() {
        loop.execute(() -> answered = true);
    }

    /** Some class loading leaves no frame on the stack, so the counts of loaded classes at two looks are compared, too. */
    private boolean isLoading(StackTraceElement[] stack) {
        if (StackOwner.of(stack) == StackOwner.PROGRAM) {
            return StackOwner.isLoading(stack);
        }
        long before = classes;
        classes = loadedClasses.getAsLong();
        return classes != before;
    }

    private String stall(StackTraceElement[] stack, long now) {
        StringBuilder text =
                new StringBuilder("the loop is held up: thread=" + loop.thread().getName() + ", for="
                        + TimeUnit.NANOSECONDS.toMillis(now - askedAt) / 1000.0
                        + " s, " + StackOwner.advice(stack));
        List<String> frames = StackOwner.shown(stack, MOST_LINES - 1);
        frames.forEach(frame ->
                text.append(frame.startsWith("…") ? "\n    " : "\n    at ").append(frame));
        return text.toString();
    }
}
