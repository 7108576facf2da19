package io.reactivecomm.compression.internal.lowrank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.compression.reduce.PowerSgdOptions;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LowRankTest {

    @Test
    void plan_factorsWhatShrinks_andBatchesTheRest() {
        LowRankPlan plan = LowRankPlan.of(
                List.of(List.of(7L), List.of(2L, 2L), List.of(30L, 4L, 5L), List.of(), List.of(50L, 20L)),
                PowerSgdOptions.DEFAULT.withRank(3));
        assertThat(plan.matrices())
                .containsExactly(
                        new LowRankMatrix(0, 11, 0, 0, 0, 30, 20, 3),
                        new LowRankMatrix(1, 612, 600, 90, 60, 50, 20, 3));
        assertThat(plan.rest()).containsExactly(new LowRankPlan.Run(0, 11), new LowRankPlan.Run(611, 1));
        assertThat(List.of(plan.errorCount(), plan.pCount(), plan.qCount(), plan.restCount()))
                .containsExactly(1600L, 240L, 120L, 12L);
    }

    @Test
    void orthogonalColumns_ofDependentOnes_areOrthogonal() {
        float[] columns = {1, 2, 2, 0, 0, 0, 0, 3, 4};
        GramSchmidt.orthogonalize(columns, 3, 3, new Random(1));
        for (int one = 0; one < 3; one++) {
            for (int other = 0; other <= one; other++) {
                double dot = 0;
                for (int i = 0; i < 3; i++) {
                    dot += (double) columns[3 * one + i] * columns[3 * other + i];
                }
                assertThat(dot).isCloseTo(one == other ? 1 : 0, within(1e-6));
            }
        }
    }
}
