package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.device.Device;
import io.reactivecomm.samples.programs.optimizer.LayerRange;
import io.reactivecomm.samples.programs.optimizer.Optimizer;
import io.reactivecomm.testkit.LocalWorldRuns;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

@Timeout(60)
class OptimizerRuleTest {

    /** No share is like the next: 100 images on 3 ranks, and 37 in the last step. */
    private static final TrainOptions UNEVEN = new TrainOptions(1, 100, 0.1f, 3, Path.of("unused.png"));

    private static final Digits.Split DATA = Digits.load();

    private static double loss(ProcessGroup group, TrainOptions options, LearningRule.Choice choice) {
        try (DataParallel training = new DataParallel(group, Device.CPU, Training.model(3), DATA, options, choice)) {
            EpochReport last = training.train().blockLast();
            assertThat(training.parametersAreBitEqual().block()).isTrue();
            return last.train().meanLoss();
        }
    }

    /** Plain gradient descent on one rank, as an optimizer. */
    private static LearningRule.Choice descent() {
        Optimizer optimizer = (parameters, gradient, learningRate) -> Mono.fromRunnable(() -> {
            for (int i = 0; i < parameters.length; i++) {
                parameters[i] -= learningRate * gradient[i];
            }
        });
        return learner -> new OptimizerRule(learner, optimizer, () -> {});
    }

    @Test
    void gradientDescent_asAnOptimizer_isThatOfHooks() throws Exception {
        double byHooks = LocalWorldRuns.onEachRank(1, group -> loss(group, UNEVEN, GradientDescent::byLayer))
                .getFirst();
        double byOptimizer = LocalWorldRuns.onEachRank(1, group -> loss(group, UNEVEN, descent()))
                .getFirst();
        assertThat(byOptimizer).isCloseTo(byHooks, within(1e-5));
    }

    @Test
    void adam_anyNumberOfRanks_endsAtTheSameLoss() throws Exception {
        LearningRule.Choice adam = OptimizerChoice.ADAM.rule(OptimizerChoice.Phases.of(15, null), DATA.train());
        TrainOptions options = UNEVEN.withLearningRate(0.003f);
        double alone = LocalWorldRuns.onEachRank(1, group -> loss(group, options, adam))
                .getFirst();
        assertThat(LocalWorldRuns.onEachRank(3, group -> loss(group, options, adam)))
                .allSatisfy(loss -> assertThat(loss).isCloseTo(alone, within(1e-4)));
        assertThat(alone).isLessThan(1.5);
    }

    @Test
    void ranges_areThoseOfWeightsAndBiases() {
        assertThat(OptimizerRule.ranges(Training.model(1)))
                .containsExactly(
                        new LayerRange("layer1.weight", 0, 4096),
                        new LayerRange("layer1.bias", 4096, 4160),
                        new LayerRange("layer2.weight", 4160, 4800),
                        new LayerRange("layer2.bias", 4800, 4810));
    }
}
