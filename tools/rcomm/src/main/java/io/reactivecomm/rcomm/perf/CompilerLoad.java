package io.reactivecomm.rcomm.perf;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The load of this JVM's compilers from some moment on. What they have not dealt with runs several times slower than it will, and on
 * few cores they take time from the ranks: figures taken meanwhile tell of neither.
 */
public final class CompilerLoad {

    /** Compilers that are at work for less of the time have little left that matters. */
    static final double CALM = 0.1;

    /** Null in a JVM that only interprets. */
    private final @Nullable CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();

    private final long begunNanos = System.nanoTime();
    private final long begunMillis = millis();

    private long millis() {
        return compilers != null && compilers.isCompilationTimeMonitoringSupported()
                ? compilers.getTotalCompilationTime()
                : 0;
    }

    /** {@return the part of the time since then that they were at work; above 1 if several were} */
    public double share() {
        double elapsedMillis = (double) Math.max(1, System.nanoTime() - begunNanos) / TimeUnit.MILLISECONDS.toNanos(1);
        return (millis() - begunMillis) / elapsedMillis;
    }

    /** {@return what to say before a row that was measured while they were at work for that share of the time, if that is much} */
    public static Optional<String> complaint(double share, Duration warmUp) {
        return share <= CALM
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "compilers were at work %.0f%% of the time in what follows; warm up longer: warmUp=%d ms",
                        100 * share,
                        warmUp.toMillis()));
    }
}
