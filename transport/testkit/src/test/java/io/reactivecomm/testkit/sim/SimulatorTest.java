package io.reactivecomm.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.sim.Simulator.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Worlds of engines under the simulator.
 *
 * <p>More than the suite's schedules, or others: {@code ./mvnw -q -pl transport/testkit -am test -Dtest=SimulatorTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dsim.schedules=1000000 -Dsim.from=50001}.
 */
class SimulatorTest {

    private static final long FROM = Long.getLong("sim.from", 1);
    private static final int SCHEDULES = Integer.getInteger("sim.schedules", 50_000);
    private static final int THREADS = Math.min(Runtime.getRuntime().availableProcessors(), 4);

    @Test
    void schedules_manySeeds_keepTheContracts() throws ExecutionException, InterruptedException {
        long start = System.nanoTime();
        List<Future<Long>> failures = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            int share = (SCHEDULES + THREADS - 1) / THREADS;
            for (int i = 0; i < THREADS; i++) {
                long from = FROM + (long) i * share;
                int count = Math.min(share, SCHEDULES - i * share);
                failures.add(threads.submit(() -> new Simulator().firstFailure(from, count)));
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf("simulator: %,d schedules, %,.0f a second on %d threads%n", SCHEDULES, SCHEDULES / seconds, THREADS);
        for (Future<Long> failure : failures) {
            long seed = failure.get();
            assertThat(seed).as(() -> new Simulator().report(seed)).isEqualTo(Simulator.NO_SEED);
        }
    }

    @Test
    void schedule_sameSeed_sameTrace() {
        Simulator one = new Simulator();
        Simulator other = new Simulator();
        other.run(4711);
        for (long seed = FROM; seed < FROM + 300; seed++) {
            Outcome first = one.run(seed);
            Outcome second = other.run(seed);
            assertThat(second).as("seed=%d", seed).isEqualTo(first);
            assertThat(first.events()).as("seed=%d", seed).isPositive();
        }
    }

    @Test
    void schedule_otherSeed_otherTrace() {
        Simulator simulator = new Simulator();
        List<Long> hashes = new ArrayList<>();
        for (long seed = FROM; seed < FROM + 300; seed++) {
            hashes.add(simulator.run(seed).hash());
        }
        assertThat(hashes).doesNotHaveDuplicates();
    }
}
