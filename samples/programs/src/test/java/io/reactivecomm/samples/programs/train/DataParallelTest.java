package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.LocalWorldRuns;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DataParallelTest {

    /** 10 images on 4 ranks, and 7 in the last step: no share is like the next. */
    private static final TrainOptions UNEVEN = new TrainOptions(1, 10, 0.1f, 3, Path.of("unused.png"));

    private static final Digits.Split DATA = Digits.load();

    private static Mlp model(long seed) {
        return Mlp.random(seed, Digits.PIXELS, 16, Digits.CLASSES);
    }

    private record Outcome(List<EpochReport> epochs, long hash, boolean bitEqual) {}

    private static Outcome train(ProcessGroup group, Mlp model) {
        return train(group, model, UNEVEN);
    }

    private static Outcome train(ProcessGroup group, Mlp model, TrainOptions options) {
        try (DataParallel training = new DataParallel(group, model, DATA, options)) {
            List<EpochReport> epochs = training.train().collectList().block();
            return new Outcome(
                    epochs,
                    ParameterHash.of(model),
                    training.parametersAreBitEqual().block());
        }
    }

    @Test
    void train_anyNumberOfRanks_endsAtTheSameLoss() throws Exception {
        Score alone = LocalWorldRuns.onEachRank(1, group -> train(group, model(3)))
                .getFirst()
                .epochs()
                .getLast()
                .train();
        for (int ranks : new int[] {2, 4, 13}) {
            List<Outcome> outcomes = LocalWorldRuns.onEachRank(ranks, group -> train(group, model(3)));
            for (Outcome outcome : outcomes) {
                Score score = outcome.epochs().getLast().train();
                assertThat(score.meanLoss()).isCloseTo(alone.meanLoss(), within(1e-4));
                assertThat(score.samples()).isEqualTo(1437);
            }
        }
        assertThat(alone.meanLoss()).isLessThan(1.5);
    }

    private static TrainOptions defaults(long seed) {
        return new TrainOptions(
                TrainOptions.DEFAULT_EPOCHS,
                TrainOptions.DEFAULT_BATCH,
                TrainOptions.DEFAULT_LEARNING_RATE,
                seed,
                Path.of("unused.png"));
    }

    private static EpochReport lastEpoch(int ranks, long seed) throws Exception {
        return LocalWorldRuns.onEachRank(ranks, group -> train(group, Training.model(seed), defaults(seed)))
                .getFirst()
                .epochs()
                .getLast();
    }

    @Test
    @Tag("thorough")
    void train_defaultsWithAnySeed_learnsWell() throws Exception {
        for (long seed : Depth.sample(LongStream.rangeClosed(1, 10).boxed().toList())) {
            assertThat(lastEpoch(1, seed).test().accuracy()).as("seed=%d", seed).isGreaterThanOrEqualTo(0.965);
        }
    }

    @Test
    @Tag("thorough")
    void train_defaultsOnOneAndFourRanks_endAtTheSameLoss() throws Exception {
        EpochReport one = lastEpoch(1, TrainOptions.DEFAULT_SEED);
        EpochReport four = lastEpoch(4, TrainOptions.DEFAULT_SEED);
        assertThat(four.train().meanLoss()).isCloseTo(one.train().meanLoss(), within(1e-4));
        assertThat(four.test().accuracy()).isGreaterThanOrEqualTo(0.965);
    }

    @Test
    void learningRate_byEpoch_fallsEvenly() {
        TrainOptions options = new TrainOptions(4, 1, 0.5f, 1, Path.of("unused.png"));
        assertThat(options.learningRate(1)).isEqualTo(0.5f);
        assertThat(options.learningRate(3)).isEqualTo(0.25f);
        assertThat(options.learningRate(4)).isEqualTo(0.125f);
    }

    @Test
    void train_ranksStartFromOtherModels_takeRankZeros() throws Exception {
        List<Outcome> outcomes = LocalWorldRuns.onEachRank(3, group -> train(group, model(group.rank())));
        assertThat(outcomes).allMatch(Outcome::bitEqual);
        assertThat(outcomes.stream().map(Outcome::hash).distinct()).hasSize(1);
        assertThat(outcomes.stream()
                        .map(outcome -> outcome.epochs().getLast().test())
                        .distinct())
                .hasSize(1);
    }

    @Test
    void train_report_countsEpochsAndTime() throws Exception {
        EpochReport report = LocalWorldRuns.onEachRank(2, group -> train(group, model(1)))
                .getFirst()
                .epochs()
                .getFirst();
        assertThat(report.epoch()).isEqualTo(1);
        assertThat(report.exposed()).isLessThanOrEqualTo(report.duration());
        assertThat(report.test().samples()).isEqualTo(360);
    }

    @Test
    void parametersAreBitEqual_oneBitDiffersOnOneRank_isFalseEverywhere() throws Exception {
        List<Boolean> answers = LocalWorldRuns.onEachRank(3, group -> {
            Mlp model = model(1);
            float[] parameters = model.layers().getFirst().parameters();
            parameters[5] = group.rank() == 1 ? Math.nextUp(parameters[5]) : parameters[5];
            try (DataParallel training = new DataParallel(group, model, DATA, UNEVEN)) {
                return training.parametersAreBitEqual().block();
            }
        });
        assertThat(answers).containsOnly(false);
    }
}
