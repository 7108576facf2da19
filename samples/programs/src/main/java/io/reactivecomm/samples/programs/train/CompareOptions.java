package io.reactivecomm.samples.programs.train;

import io.reactivecomm.compression.reduce.PowerSgdOptions;
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
            description = "Compares: trains uncompressed, and with gradients reduced by each of these codecs, with error feedback and without."
                    + " One or more of one-bit, int8, int4, top-k, threshold, powersgd, separated by commas.")
    private List<CodecChoice> codecs = List.of();

    @Option(
            names = "--optimizer",
            paramLabel = "NAME",
            split = ",",
            description = "Compares, unless it is sgd: trains with each of these and with what it compresses. One or more of sgd, adam, one-bit-adam, zero-one-adam, lamb,"
                    + " one-bit-lamb, separated by commas (default: sgd).")
    private List<OptimizerChoice> optimizers = List.of(OptimizerChoice.SGD);

    @Option(
            names = "--density",
            paramLabel = "SHARE",
            defaultValue = "" + CodecChoice.Settings.DEFAULT_DENSITY,
            description = "With top-k: the share of elements that is sent (default: ${DEFAULT-VALUE}).")
    private double density;

    @Option(
            names = "--tau",
            paramLabel = "VALUE",
            defaultValue = "" + CodecChoice.Settings.DEFAULT_TAU,
            description = "With threshold: the first one; it adapts (default: ${DEFAULT-VALUE}).")
    private double tau;

    @Option(
            names = "--powersgd-rank",
            paramLabel = "N",
            defaultValue = "" + PowerSgdOptions.DEFAULT_RANK,
            description = "With powersgd: the columns of its factors (default: ${DEFAULT-VALUE}).")
    private int rank;

    @Option(
            names = "--warm-up",
            paramLabel = "STEPS",
            description = "How many steps go uncompressed first. With zero-one-adam: how many steps go before the first that is a rank's own"
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
                throw new IllegalArgumentException("two outputs are one file: chart=" + chart + ", json=" + json + "; give each a file of its own");
            }
        }
    }

    /** @throws IllegalArgumentException if figures are asked for: one training has none to compare */
    void requireNoFigures() {
        if (json != null) {
            throw new IllegalArgumentException("nothing is compared: json=" + json + "; say what with --compress or --optimizer, or leave out --json");
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
    List<Variant> variants(TrainOptions options, @Nullable Float learningRate) {
        if (!codecs.isEmpty() && !optimizers.equals(List.of(OptimizerChoice.SGD))) {
            throw new IllegalArgumentException("two comparisons at once: compress=" + names(codecs) + ", optimizer=" + names(optimizers)
                    + "; choose one of --compress and --optimizer: optimizers have compressions of their own");
        }
        return codecs.isEmpty() ? ofOptimizers(options, learningRate) : ofCodecs(options);
    }

    private List<Variant> ofCodecs(TrainOptions options) {
        CodecChoice.Settings settings = new CodecChoice.Settings(density, tau, rank, warmUp == null ? 0 : warmUp);
        List<Variant> variants = new ArrayList<>();
        variants.add(new Variant(Variant.UNCOMPRESSED, true, Variant.UNCOMPRESSED, options, GradientDescent::inBuckets));
        for (CodecChoice codec : new LinkedHashSet<>(codecs)) {
            for (boolean feedsBack : new boolean[] {true, false}) {
                variants.add(new Variant(Names.of(codec), feedsBack, Variant.UNCOMPRESSED, options, codec.rule(settings, feedsBack)));
            }
        }
        return variants;
    }

    private List<Variant> ofOptimizers(TrainOptions options, @Nullable Float learningRate) {
        Set<OptimizerChoice> all = new LinkedHashSet<>();
        for (OptimizerChoice optimizer : optimizers) {
            all.add(optimizer.parent());
            all.add(optimizer);
        }
        Digits images = Digits.load().train();
        long steps = (long) options.epochs() * Batches.of(images.count(), options.batch(), options.seed()).size();
        OptimizerChoice.Phases phases = OptimizerChoice.Phases.of(steps, warmUp);
        return all.stream()
                .map(optimizer -> {
                    TrainOptions own = options.withLearningRate(learningRate == null ? optimizer.learningRate() : learningRate);
                    return new Variant(Names.of(optimizer), true, Names.of(optimizer.parent()), own, optimizer.rule(phases, images));
                })
                .toList();
    }

    private static List<String> names(List<? extends Enum<?>> choices) {
        return choices.stream().map(Names::of).toList();
    }
}
