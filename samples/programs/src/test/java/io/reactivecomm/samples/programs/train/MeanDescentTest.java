package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.device.Device;
import io.reactivecomm.testkit.LocalWorldRuns;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Trainings whose steps have options, against usual ones. */
@Timeout(60)
class MeanDescentTest {

    private static final Digits.Split DATA = Digits.load();

    private record Outcome(double loss, boolean isBitEqual) {}

    private static Outcome train(ProcessGroup group, StepChoice steps) {
        TrainOptions options = new TrainOptions(1, 100, 0.1f, 3, Path.of("unused.png"), steps);
        LearningRule.Choice rule =
                steps.isUsual() ? GradientDescent::byLayer : learner -> new MeanDescent(learner, steps);
        try (DataParallel training = new DataParallel(group, Device.CPU, Training.model(3), DATA, options, rule)) {
            double loss = training.train().blockLast().train().meanLoss();
            return new Outcome(loss, training.parametersAreBitEqual().block());
        }
    }

    private static double loss(StepChoice steps) throws Exception {
        List<Outcome> outcomes = LocalWorldRuns.onEachRank(3, group -> train(group, steps));
        assertThat(outcomes).extracting(Outcome::isBitEqual).containsOnly(true);
        assertThat(outcomes)
                .extracting(Outcome::loss)
                .containsOnly(outcomes.getFirst().loss());
        return outcomes.getFirst().loss();
    }

    @Test
    void microSteps_andAnUnreachedNorm_endAtTheLossOfUsualSteps() throws Exception {
        double usual = loss(new StepChoice());
        assertThat(loss(new StepChoice(4, null, false))).isCloseTo(usual, within(1e-5));
        assertThat(loss(new StepChoice(1, 1e6, false))).isCloseTo(usual, within(1e-5));
        assertThat(loss(new StepChoice(1, 0.01, false))).isGreaterThan(usual + 0.1);
    }

    @Test
    void unevenInputs_leaveReplicasBitEqual_andLearn() throws Exception {
        assertThat(loss(new StepChoice(2, 1.0, true))).isLessThan(2.3);
    }
}
