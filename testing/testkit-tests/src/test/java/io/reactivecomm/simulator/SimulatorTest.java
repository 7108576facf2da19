package io.reactivecomm.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.simulator.Simulator.Outcome;
import io.reactivecomm.testkit.Depth;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Worlds of engines under the simulator.
 *
 * <p>More than the suite's schedules, or others: {@code ./mvnw -q -pl testing/testkit-tests -am test -Dtest=SimulatorTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dsim.schedules=1000000 -Dsim.from=50001}.
 */
class SimulatorTest {

    private static final long FROM = Long.getLong("sim.from", 1);
    private static final int SCHEDULES = Depth.count("sim.schedules", 50_000);

    /** Whose traces are compared. */
    private static final int TRACES = Depth.isWhole() ? 300 : 20;

    /** However many are asked for: each has a bound of its own. */
    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void schedules_manySeeds_keepTheContracts() throws ExecutionException, InterruptedException {
        for (long seed : Seeds.search("schedules", FROM, SCHEDULES, () -> new Simulator()::firstFailure)) {
            assertThat(seed).as(() -> new Simulator().report(seed)).isEqualTo(Simulator.NO_SEED);
        }
    }

    @Test
    void schedule_sameSeed_sameTrace() {
        Simulator one = new Simulator();
        Simulator other = new Simulator();
        other.run(4711);
        for (long seed = FROM; seed < FROM + TRACES; seed++) {
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
        for (long seed = FROM; seed < FROM + TRACES; seed++) {
            hashes.add(simulator.run(seed).hash());
        }
        assertThat(hashes).doesNotHaveDuplicates();
    }
}
