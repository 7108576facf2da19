package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Sequencers under random subscription orders, overlapping groups, dependent calls and faults.
 *
 * <p>More seeds, or one again: {@code ./mvnw -q -pl transport/testkit -am test -Dtest=SequencerFuzzTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dsequencer.from=4711 -Dsequencer.seeds=1}.
 */
class SequencerFuzzTest {

    private static final long FROM = Long.getLong("sequencer.from", 1);
    private static final int SEEDS = Integer.getInteger("sequencer.seeds", 10_000);

    @Test
    void sequencers_manySeeds_keepOneOrderAndLeaveNobodyWaiting() {
        SequencerFuzz fuzz = new SequencerFuzz();
        long start = System.nanoTime();
        long seed = fuzz.firstFailure(FROM, SEEDS);
        System.out.printf("sequencer: %,d seeds from %d, %,.0f a second, %.0f %% of the places by reference%n",
                SEEDS, FROM, SEEDS / ((System.nanoTime() - start) / 1e9), 100 * fuzz.recurring());
        assertThat(seed).as(() -> fuzz.report(seed)).isEqualTo(SequencerFuzz.NO_SEED);
    }
}
