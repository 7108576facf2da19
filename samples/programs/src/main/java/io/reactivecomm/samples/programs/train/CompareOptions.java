package io.reactivecomm.samples.programs.train;

import io.reactivecomm.compression.reduce.PowerSgdOptions;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import io.reactivecomm.samples.programs.codec.CodecSettings;
import io.reactivecomm.samples.programs.codec.NamedReduction;
import io.reactivecomm.samples.programs.device.DeviceKind;
import io.reactivecomm.samples.programs.output.OutputFile;
import io.reactivecomm.samples.programs.world.Names;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code rcomm train} by which several trainings are compared. */
final class CompareOptions {

    @Option(
            names = "--compress",
            paramLabel = "CODEC",
            split = ",",
            description =
                    "Compares: trains uncompressed, and with gradients reduced by each of these codecs, with error feedback and without."
                            + " One or more of one-bit, int8, int4, top-k, threshold, powersgd, separated by commas.")
    private List<CodecChoice> codecs = List.of();

    @Option(
            names = "--optimizer",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Compares, unless it is sgd: trains with each of these and with what it compresses. One or more of sgd, adam, one-bit-adam, zero-one-adam, lamb,"
                            + " one-bit-lamb, separated by commas (default: sgd).")
    private List<OptimizerChoice> optimizers = List.of(OptimizerChoice.SGD);

    @Option(
            names = "--density",
            paramLabel = "SHARE",
            description =
                    "With top-k: the share of elements that is sent (default: " + CodecSettings.DEFAULT_DENSITY + ").")
    private @Nullable Double density;

    @Option(
            names = "--tau",
            paramLabel = "VALUE",
            description = "With threshold: the first one; it adapts (default: " + CodecSettings.DEFAULT_TAU + ").")
    private @Nullable Double tau;

    @Option(
            names = "--powersgd-rank",
            paramLabel = "N",
            description = "With powersgd: the columns of its factors (default: " + PowerSgdOptions.DEFAULT_RANK + ").")
    private @Nullable Integer rank;

    @Option(
            names = "--warm-up",
            paramLabel = "STEPS",
            description =
                    "How many steps go uncompressed first. With zero-one-adam: how many steps go before the first that is a rank's own"
                            + " (default: none with --compress, a sixth of all with --optimizer).")
    private @Nullable Long warmUp;

    @Option(names = "--json", paramLabel = "FILE", description = "Where the figures of a comparison go, too, as JSON.")
    private @Nullable Path json;

    @Nullable Path json() {
        return json;
    }

    /** @throws IllegalArgumentException if an output cannot be written, or two are one file: known before the training, not after it */
    void requireWritable(Path chart) {
        OutputFile.requireWritable(chart, "--chart");
        if (json != null) {
            OutputFile.requireWritable(json, "--json");
            if (json.toAbsolutePath().normalize().equals(chart.toAbsolutePath().normalize())) {
                throw new IllegalArgumentException("two outputs are one file: chart=" + chart + ", json=" + json
                        + "; give each a file of its own");
            }
        }
    }

    /** @throws IllegalArgumentException if there is an option which only means something in a comparison */
    void requireNone() {
        requireNothingCompared("json", json);
        requireNothingCompared("warm-up", warmUp);
        requireOwnOptions();
    }

    private static void requireNothingCompared(String option, @Nullable Object value) {
        if (value != null) {
            throw new IllegalArgumentException("nothing is compared: " + option + "=" + value
                    + "; say what with --compress or --optimizer, or leave out --" + option);
        }
    }

    private void requireOwnOptions() {
        requireChosen(CodecChoice.TOP_K, "density", density);
        requireChosen(CodecChoice.THRESHOLD, "tau", tau);
        requireChosen(CodecChoice.POWERSGD, "powersgd-rank", rank);
    }

    /** What is given and has no effect is a mistake. */
    private void requireChosen(CodecChoice codec, String option, @Nullable Object value) {
        if (value != null && !codecs.contains(codec)) {
            throw new IllegalArgumentException("a codec's option without the codec: " + option + "=" + value
                    + ", compress=" + codecs + "; add " + codec + " to --compress, or leave out --" + option);
        }
    }

    /** @throws IllegalArgumentException if what is chosen is only done on the host */
    void requireFor(DeviceKind device) {
        if (device == DeviceKind.CUDA && !optimizers.equals(List.of(OptimizerChoice.SGD))) {
            throw new IllegalArgumentException("optimizers with a memory have their gradients in the host's: device="
                    + device + ", optimizer=" + names(optimizers) + "; leave out --device, or choose sgd");
        }
    }

    /** {@return whether there is something to compare} */
    boolean isComparison() {
        return !codecs.isEmpty() || !optimizers.equals(List.of(OptimizerChoice.SGD));
    }

    /**
     * {@return the trainings to compare, each after the one that it is compared with}
     *
     * @param options of all of them
     * @param learningRate the one that was chosen; null for that of each method
     * @throws IllegalArgumentException if options are out of range, or do not go together
     */
    List<ComparedTraining> variants(TrainOptions options, @Nullable Float learningRate) {
        requireOwnOptions();
        if (!codecs.isEmpty() && !optimizers.equals(List.of(OptimizerChoice.SGD))) {
            throw new IllegalArgumentException(
                    "two comparisons at once: compress=" + codecs + ", optimizer=" + names(optimizers)
                            + "; choose one of --compress and --optimizer: optimizers have compressions of their own");
        }
        Digits images = Digits.load().train();
        long steps = (long) options.epochs()
                * Batches.of(images.count(), options.batch(), options.seed()).size();
        requireShortWarmUp(steps);
        return codecs.isEmpty() ? ofOptimizers(options, learningRate, steps, images) : ofCodecs(options);
    }

    /** Nothing would be compressed. */
    private void requireShortWarmUp(long steps) {
        if (warmUp != null && warmUp >= steps) {
            throw new IllegalArgumentException("the warm-up is as long as the training: warm-up=" + warmUp + ", steps="
                    + steps + "; take fewer, or more epochs");
        }
        if (warmUp != null && codecs.isEmpty() && optimizers.stream().allMatch(each -> each.parent() == each)) {
            throw new IllegalArgumentException("no optimizer has a warm-up: warm-up=" + warmUp + ", optimizer="
                    + names(optimizers) + "; choose one that compresses, or leave out --warm-up");
        }
    }

    private List<ComparedTraining> ofCodecs(TrainOptions options) {
        CodecSettings settings = new CodecSettings(
                density == null ? CodecSettings.DEFAULT_DENSITY : density,
                tau == null ? CodecSettings.DEFAULT_TAU : tau,
                rank == null ? PowerSgdOptions.DEFAULT_RANK : rank,
                warmUp == null ? 0 : warmUp,
                true);
        List<ComparedTraining> variants = new ArrayList<>();
        variants.add(new ComparedTraining(
                ComparedTraining.UNCOMPRESSED,
                true,
                ComparedTraining.UNCOMPRESSED,
                options,
                GradientDescent::inBuckets));
        for (CodecChoice codec : new LinkedHashSet<>(codecs)) {
            for (boolean feedsBack : new boolean[] {true, false}) {
                variants.add(new ComparedTraining(
                        codec.toString(),
                        feedsBack,
                        ComparedTraining.UNCOMPRESSED,
                        options,
                        rule(codec, settings.withFeedback(feedsBack))));
            }
        }
        return variants;
    }

    private static LearningRule.Choice rule(CodecChoice codec, CodecSettings settings) {
        return learner -> {
            NamedReduction reduction = codec.begin(settings);
            return GradientDescent.inBuckets(learner, reduction.reducer(), reduction::close);
        };
    }

    private List<ComparedTraining> ofOptimizers(
            TrainOptions options, @Nullable Float learningRate, long steps, Digits images) {
        Set<OptimizerChoice> all = new LinkedHashSet<>();
        for (OptimizerChoice optimizer : optimizers) {
            all.add(optimizer.parent());
            all.add(optimizer);
        }
        OptimizerChoice.Phases phases = OptimizerChoice.Phases.of(steps, warmUp);
        return all.stream()
                .map(optimizer -> {
                    TrainOptions own =
                            options.withLearningRate(learningRate == null ? optimizer.learningRate() : learningRate);
                    return new ComparedTraining(
                            Names.of(optimizer),
                            true,
                            Names.of(optimizer.parent()),
                            own,
                            optimizer.rule(phases, images));
                })
                .toList();
    }

    private static List<String> names(List<? extends Enum<?>> choices) {
        return choices.stream().map(Names::of).toList();
    }
}
