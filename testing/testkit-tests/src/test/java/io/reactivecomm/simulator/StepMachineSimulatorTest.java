package io.reactivecomm.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.Depth;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Training steps of several ranks under the simulator, against a sequential oracle.
 *
 * <p>Other schedules, or one again: {@code ./mvnw -q -pl testing/testkit-tests -am test -Dtest=StepMachineSimulatorTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dsteps.schedules=1000000 -Dsteps.from=100001}.
 */
class StepMachineSimulatorTest {

    private static final long FROM = Long.getLong("steps.from", 1);
    private static final int SCHEDULES = Depth.count("steps.schedules", 100_000);

    /** The schedules whose traces are compared. */
    private static final int TRACES = Depth.isWhole() ? 1_000 : 100;

    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void steps_manySeeds_keepTheContract() throws ExecutionException, InterruptedException {
        for (long seed :
                Seeds.search("schedules of steps", FROM, SCHEDULES, () -> new StepMachineSimulator()::firstFailure)) {
            assertThat(seed).as(() -> new StepMachineSimulator().report(seed)).isEqualTo(Simulator.NO_SEED);
        }
    }

    @Test
    void steps_sameSeed_sameTrace() {
        StepMachineSimulator one = new StepMachineSimulator();
        StepMachineSimulator other = new StepMachineSimulator();
        for (long seed = FROM; seed < FROM + TRACES; seed++) {
            assertThat(other.run(seed)).as("seed=%d", seed).isEqualTo(one.run(seed));
        }
    }
}
