package io.reactivecomm.rcomm.perf;

import io.reactivecomm.ProcessGroup;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import reactor.core.publisher.Flux;

/**
 * The first calls of a world: how long they take, and when the JVM has compiled enough that their time no longer falls.
 *
 * <p><b>Threads.</b> The rank's own, which it blocks.
 */
final class ColdStart {

    /** A call is as fast as it will be when its time is within so many times that of the last calls. */
    private static final double STEADY = 1.5;

    private static final int FIRST_CALLS = 100;

    private static final Duration WINDOW = Duration.ofMillis(100);

    private final AcrossRanks ranks;
    private final Measured measured;
    private final List<Window> windows = new ArrayList<>();

    /**
     * The mean time of a round in one window.
     *
     * @param end nanoseconds from the first call to the end of the window
     * @param nanos of a round
     */
    private record Window(long end, double nanos) {}

    /**
     * The figures of rank 0.
     *
     * @param upMillis from the start of its JVM to its first call
     * @param firstMicros its first call, with waiting for the other ranks
     * @param nextMicros the mean of calls 2 to 100
     * @param steadyMicros the median of the last windows
     * @param steadySeconds from the first call to the end of the last window that took longer than 1.5 times that
     */
    record Figures(long upMillis, double firstMicros, double nextMicros, double steadyMicros, double steadySeconds) {

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "cold: JVM up for %d ms, first call %.0f us, calls 2 to %d %.1f us each, steady %.2f us, within %.1f times of that after %.1f s",
                    upMillis,
                    firstMicros,
                    FIRST_CALLS,
                    nextMicros,
                    steadyMicros,
                    STEADY,
                    steadySeconds);
        }
    }

    ColdStart(ProcessGroup group, Measured measured) {
        this.ranks = new AcrossRanks(group);
        this.measured = measured;
    }

    /** Makes calls for a time. {@return their figures} */
    Figures run(Duration time) {
        long up = ManagementFactory.getRuntimeMXBean().getUptime();
        measured.fill();
        long begun = System.nanoTime();
        long first = nanosOf(1);
        double next = (double) nanosOf(FIRST_CALLS - 1) / (FIRST_CALLS - 1);
        double guess = next;
        while (true) {
            boolean goesOn = System.nanoTime() - begun < time.toNanos();
            long rounds = ranks.agreed(goesOn ? (long) Math.max(1, WINDOW.toNanos() / guess) : 0);
            if (rounds == 0) {
                return figures(up, first, next);
            }
            guess = (double) nanosOf(rounds) / rounds;
            windows.add(new Window(System.nanoTime() - begun, guess));
        }
    }

    private Figures figures(long up, long first, double next) {
        double[] last = windows.subList(windows.size() * 2 / 3, windows.size()).stream()
                .mapToDouble(Window::nanos)
                .sorted()
                .toArray();
        double steady = last.length == 0 ? next : last[last.length / 2];
        long after = windows.stream()
                .filter(window -> window.nanos() > STEADY * steady)
                .mapToLong(Window::end)
                .max()
                .orElse(0);
        return new Figures(up, first / 1e3, next / 1e3, steady / 1e3, after / 1e9);
    }

    private long nanosOf(long rounds) {
        long start = System.nanoTime();
        Flux.defer(measured::calls).repeat(rounds - 1).blockLast();
        return System.nanoTime() - start;
    }
}
