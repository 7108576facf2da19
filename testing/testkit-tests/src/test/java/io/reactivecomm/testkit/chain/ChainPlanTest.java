package io.reactivecomm.testkit.chain;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.sim.SeededRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The plans of the fuzz of chains, and the values by which it knows sums. */
class ChainPlanTest {

    private static final int PLANS = 4_000;
    private static final int FEW = 20;

    private static ChainPlan plan(long seed) {
        return ChainPlan.of(new SeededRandom(seed));
    }

    @Test
    void plans_haveAllKinds() {
        Map<Object, Integer> kinds = new HashMap<>();
        for (long seed = 0; seed < PLANS; seed++) {
            ChainPlan plan = plan(seed);
            List<Object> all = new ArrayList<>(plan.hooks());
            all.add(plan.layout());
            all.add(plan.form());
            plan.inserts().forEach(insert -> all.add(insert.operator()));
            plan.cuts().forEach(cut -> all.add(cut.moment()));
            all.forEach(each -> kinds.merge(each, 1, Integer::sum));
        }
        assertThat(kinds)
                .containsKeys(ChainPlan.Layout.values())
                .containsKeys(ChainPlan.Reducer.values())
                .containsKeys(ChainPlan.Form.values())
                .containsKeys(ChainPlan.Moment.values())
                .containsKeys(OperatorCatalogue.ALL.toArray());
        assertThat(kinds.values()).allMatch(plans -> plans > FEW);
        assertThat(OperatorCatalogue.ALL)
                .extracting(each -> each.kind() + " " + each)
                .doesNotHaveDuplicates();
    }

    /** Else it could not be told whose gradients a sum lacks. */
    @Test
    void plans_loseGradientsOnOneRankOfAStep_andEndWithoutTrouble() {
        for (long seed = 0; seed < PLANS; seed++) {
            ChainPlan plan = plan(seed);
            for (int step = 0; step < plan.steps(); step++) {
                assertThat(plan.inserts(step).stream()
                                .filter(each -> each.operator().kind().mayLose())
                                .map(ChainPlan.Insert::rank)
                                .distinct())
                        .as("seed=%d", seed)
                        .hasSizeLessThan(2);
            }
            assertThat(plan.isSound(plan.steps() - 1) && plan.isSound(plan.steps() - 2))
                    .as("seed=%d", seed)
                    .isTrue();
        }
    }

    @Test
    void plan_sameSeed_isTheSame() {
        assertThat(plan(4711)).hasToString(plan(4711).toString());
        assertThat(plan(4711).toString()).isNotEqualTo(plan(4712).toString());
    }

    private static long[] sum(long[] one, long[] other) {
        long[] sum = one.clone();
        for (int i = 0; i < sum.length; i++) {
            sum[i] += other[i];
        }
        return sum;
    }

    @Test
    void sum_ofTwoRanks_isKnown_andNothingElse() {
        long[] own = ChainValues.of(3, 0, 2);
        long[] other = ChainValues.of(3, 2, 2);
        assertThat(ChainValues.ranks(3, 2, own)).isEqualTo(0b001);
        assertThat(ChainValues.ranks(3, 2, sum(own, other))).isEqualTo(0b101);
        assertThat(ChainValues.ranks(3, 2, sum(own, ChainValues.of(2, 2, 2))))
                .as("of two steps")
                .isEqualTo(ChainValues.NONE);
        assertThat(ChainValues.ranks(2, 2, own)).as("of another step").isEqualTo(ChainValues.NONE);
        assertThat(ChainValues.ranks(3, 2, sum(own, own)))
                .as("of one rank twice")
                .isEqualTo(ChainValues.NONE);
        assertThat(ChainValues.ranks(3, 2, ChainValues.of(3, 0, 6)))
                .as("of another gradient")
                .isEqualTo(ChainValues.NONE);
    }
}
