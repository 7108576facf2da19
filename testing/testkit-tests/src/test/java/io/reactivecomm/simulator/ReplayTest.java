package io.reactivecomm.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Runs one schedule again, given as {@code -Dsim.seed=N}, and prints its scenario and its last events. */
class ReplayTest {

    @Test
    @EnabledIfSystemProperty(named = "sim.seed", matches = "-?\\d+")
    void schedule_givenSeed_keepsTheContracts() {
        long seed = Long.getLong("sim.seed", 0);
        Simulator simulator = new Simulator();
        System.out.println(simulator.report(seed));
        assertThat(simulator.run(seed).violation()).isNull();
    }
}
