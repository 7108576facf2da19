package io.reactivecomm.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Consecutive seeds, searched by several simulators beside each other. */
final class Seeds {

    private static final int THREADS = Math.min(Runtime.getRuntime().availableProcessors(), 4);

    private Seeds() {}

    /** One simulator's search, as {@link Simulator#firstFailure}. */
    @FunctionalInterface
    interface Search {

        long firstFailure(long from, int count);
    }

    /**
     * Runs them and prints how fast.
     *
     * @param what is simulated
     * @param searches makes one for each thread
     * @return the first that failed in each thread's share, or {@link Simulator#NO_SEED}
     */
    static List<Long> search(String what, long from, int count, Supplier<Search> searches)
            throws ExecutionException, InterruptedException {
        long start = System.nanoTime();
        List<Future<Long>> failures = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            int share = (count + THREADS - 1) / THREADS;
            for (int i = 0; i < THREADS; i++) {
                long first = from + (long) i * share;
                int own = Math.min(share, count - i * share);
                failures.add(threads.submit(() -> searches.get().firstFailure(first, own)));
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf("simulator: %,d %s, %,.0f a second on %d threads%n", count, what, count / seconds, THREADS);
        List<Long> found = new ArrayList<>();
        for (Future<Long> failure : failures) {
            found.add(failure.get());
        }
        return found;
    }
}
