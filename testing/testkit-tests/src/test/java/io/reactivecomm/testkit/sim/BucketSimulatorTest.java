package io.reactivecomm.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.Depth;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Worlds of engines under the simulator whose ranks train through buckets.
 *
 * <p>More than the suite's schedules, or one again: {@code ./mvnw -q -pl testing/testkit-tests -am test -Dtest=BucketSimulatorTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dbuckets.schedules=100000 -Dbuckets.from=4001}.
 */
class BucketSimulatorTest {

    private static final long FROM = Long.getLong("buckets.from", 1);
    private static final int SCHEDULES = Depth.count("buckets.schedules", 4_000);

    /** Whose traces are compared. */
    private static final int TRACES = Depth.isWhole() ? 100 : 20;

    /** However many are asked for: each has a bound of its own. */
    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void buckets_manySeeds_keepTheContracts() throws ExecutionException, InterruptedException {
        for (long seed :
                Seeds.search("schedules with buckets", FROM, SCHEDULES, () -> new BucketSimulator()::firstFailure)) {
            assertThat(seed).as(() -> new BucketSimulator().report(seed)).isEqualTo(Simulator.NO_SEED);
        }
    }

    /** A rank that parks no opening dropped those of a bucket, forgot that it had, and left the step: the others waited for their deadline. */
    @Test
    void rankThatParksNothing_andLeavesAStep_isAskedForWhatItDropped() {
        BucketSimulator simulator = new BucketSimulator();
        assertThat(simulator.run(1712).violation()).isNull();
    }

    @Test
    void buckets_sameSeed_sameTrace() {
        BucketSimulator one = new BucketSimulator();
        BucketSimulator other = new BucketSimulator();
        other.run(4711);
        for (long seed = FROM; seed < FROM + TRACES; seed++) {
            assertThat(other.run(seed)).as("seed=%d", seed).isEqualTo(one.run(seed));
        }
    }
}
