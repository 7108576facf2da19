package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.SeededRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Sequencers under random subscription orders, overlapping groups, dependent calls and faults.
 *
 * <p>More seeds, or one again: {@code ./mvnw -q -pl testing/testkit-tests -am test -Dtest=SequencerFuzzTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dsequencer.from=4711 -Dsequencer.seeds=1}.
 */
class SequencerFuzzTest {

    private static final int PLANS = 2_000;
    private static final int FEW = 20;

    private static final long FROM = Long.getLong("sequencer.from", 1);
    private static final int SEEDS = Depth.count("sequencer.seeds", 10_000);

    @Test
    void sequencers_manySeeds_keepOneOrderAndLeaveNobodyWaiting() {
        SequencerFuzz fuzz = new SequencerFuzz();
        long start = System.nanoTime();
        long seed = fuzz.firstFailure(FROM, SEEDS);
        System.out.printf(
                "sequencer: %,d seeds from %d, %,.0f a second, %.0f %% of the places by reference%n",
                SEEDS, FROM, SEEDS / ((System.nanoTime() - start) / 1e9), 100 * fuzz.recurring());
        assertThat(seed).as(() -> fuzz.report(seed)).isEqualTo(Fuzz.NO_SEED);
    }

    /**
     * What a sequencer is to withstand is in enough plans: each trouble, groups closed after their calls in either way, and calls that wait
     * for others.
     */
    @Test
    void plans_haveAllKinds() {
        Map<Enum<?>, Integer> kinds = new HashMap<>();
        int dependent = 0;
        for (long seed = 0; seed < PLANS; seed++) {
            FuzzPlan plan = CallPlans.of(new SeededRandom(seed));
            plan.troubles().forEach(trouble -> kinds.merge(trouble.kind(), 1, Integer::sum));
            kinds.merge(plan.closing(), 1, Integer::sum);
            dependent += plan.starts().stream().flatMap(List::stream).anyMatch(start -> start.after() >= 0) ? 1 : 0;
        }
        assertThat(kinds)
                .containsKeys(CallPlans.KINDS.toArray(FuzzPlan.Kind[]::new))
                .containsKeys(FuzzPlan.Closing.values());
        assertThat(kinds.values()).allMatch(plans -> plans > FEW);
        assertThat(dependent).isGreaterThan(FEW);
    }
}
