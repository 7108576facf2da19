package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivecomm.samples.programs.codec.CodecChoice;
import io.reactivecomm.samples.programs.world.RankDevices;
import io.reactivecomm.testkit.LocalWorldRuns;
import java.awt.image.BufferedImage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

/**
 * The price of compression in accuracy, and what it saves in bytes. The suite has few epochs of what is fed back; {@code -Pthorough} the command's own comparisons, on two seeds, which take a
 * minute.
 */
@Timeout(300)
class TrainComparisonTest {

    /** A point, but for rounding. */
    private static final double ALLOWED = 0.01 + 1e-9;

    /** As a whole comparison takes where other work takes a core. */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final String CODECS = "--compress=one-bit,int8,int4,top-k,threshold,powersgd";
    private static final String OPTIMIZERS = "--optimizer=one-bit-adam,zero-one-adam,one-bit-lamb";

    @TempDir
    private Path folder;

    private TrainOptions options(int epochs, long seed) {
        return new TrainOptions(
                epochs,
                TrainOptions.DEFAULT_BATCH,
                TrainOptions.DEFAULT_LEARNING_RATE,
                seed,
                folder.resolve("chart.png"));
    }

    private static CompareOptions parsed(String... arguments) {
        CompareOptions options = new CompareOptions();
        TrainCommand.withConverters(new CommandLine(options)).parseArgs(arguments);
        return options;
    }

    /** {@return the figures of a comparison, as the command writes them} */
    private List<ComparedRun> compare(int ranks, List<ComparedTraining> variants) throws Exception {
        Path json = folder.resolve("figures.json");
        LocalWorldRuns.onEachRank(ranks, LIMIT, group -> {
            new TrainComparison(
                            variants,
                            new ComparisonTable(new PrintWriter(new StringWriter()), "local"),
                            RankDevices.HOST,
                            json)
                    .run(group);
            return true;
        });
        return Arrays.asList(JsonMapper.shared().readValue(Files.readString(json), ComparedRun[].class));
    }

    private static ComparedRun run(List<ComparedRun> runs, String method, boolean feedsBack) {
        return runs.stream()
                .filter(run -> run.method().equals(method) && run.feedsBack() == feedsBack)
                .findFirst()
                .orElseThrow();
    }

    private static void requireAsAccurate(List<ComparedRun> runs, List<ComparedRun> references) {
        for (ComparedRun run : runs) {
            double least =
                    run.feedsBack() ? run(references, run.reference(), true).accuracy() - ALLOWED : 0;
            assertThat(run.bitEqual()).as(run.label()).isTrue();
            assertThat(run.accuracy()).as(run.label()).isGreaterThanOrEqualTo(least);
        }
    }

    private static List<ComparedTraining> only(List<ComparedTraining> variants, Predicate<ComparedTraining> wanted) {
        return variants.stream().filter(wanted).toList();
    }

    /** {@return the figures of some codecs with error feedback, behind those of none, which are all as accurate} */
    private List<ComparedRun> compareCodecs(int epochs, String codecs) throws Exception {
        List<ComparedRun> runs = compare(
                2,
                only(parsed("--compress=" + codecs).variants(options(epochs, 1), null), ComparedTraining::feedsBack));
        requireAsAccurate(runs, runs);
        assertThat(runs.getFirst().ratio()).isEqualTo(1);
        return runs.subList(1, runs.size());
    }

    @Test
    void codecsWithFeedback_loseAtMostAPointOfAccuracy() throws Exception {
        assertThat(compareCodecs(3, "one-bit,int8,int4,top-k"))
                .extracting(ComparedRun::ratio)
                .satisfiesExactly(
                        oneBit -> assertThat(oneBit).isBetween(28.0, 32.0),
                        int8 -> assertThat(int8).isBetween(3.9, 4.0),
                        int4 -> assertThat(int4).isBetween(7.0, 8.0),
                        topK -> assertThat(topK).isBetween(40.0, 51.0));
    }

    /** What adapts needs longer. */
    @Test
    @Tag("thorough")
    void adaptingCodecsWithFeedback_loseAtMostAPointOfAccuracy() throws Exception {
        assertThat(compareCodecs(5, "threshold,powersgd"))
                .extracting(ComparedRun::ratio)
                .satisfiesExactly(
                        threshold -> assertThat(threshold).isGreaterThan(30.0),
                        powerSgd -> assertThat(powerSgd).isBetween(15.0, 20.0));
    }

    /** On four ranks that one alone whose ranks go their own ways: the thorough run has all. */
    @Test
    @Tag("thorough")
    void compressedAdams_loseAtMostAPointOfAccuracy() throws Exception {
        List<ComparedTraining> variants =
                parsed("--optimizer=one-bit-adam,zero-one-adam").variants(options(4, 1), null);
        List<ComparedRun> onTwo = compare(2, variants);
        assertThat(onTwo).extracting(ComparedRun::method).containsExactly("adam", "one-bit-adam", "zero-one-adam");
        requireAsAccurate(onTwo, onTwo);
        assertThat(onTwo)
                .filteredOn(run -> !run.method().equals(run.reference()))
                .allMatch(run -> run.ratio() > 4);
        requireAsAccurate(compare(4, only(variants, variant -> variant.method().equals("zero-one-adam"))), onTwo);
    }

    @Test
    void compressedLamb_losesAtMostAPointOfAccuracy() throws Exception {
        List<ComparedRun> runs = compare(2, parsed("--optimizer=one-bit-lamb").variants(options(5, 1), null));
        assertThat(runs).extracting(ComparedRun::method).containsExactly("lamb", "one-bit-lamb");
        requireAsAccurate(runs, runs);
        assertThat(runs.getLast().ratio()).isGreaterThan(4);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    @Tag("thorough")
    void codecs_withDefaults_loseAtMostAPointWithFeedback_andMoreLossWithout(long seed) throws Exception {
        List<ComparedRun> runs = compare(2, parsed(CODECS).variants(options(TrainOptions.DEFAULT_EPOCHS, seed), null));
        assertThat(runs).hasSize(1 + 2 * CodecChoice.values().length);
        requireAsAccurate(runs, runs);
        for (String method : List.of("one-bit", "top-k", "threshold", "powersgd")) {
            assertThat(run(runs, method, true).loss())
                    .as(method)
                    .isLessThan(run(runs, method, false).loss());
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2", "4, 1", "4, 2"})
    @Tag("thorough")
    void optimizers_withDefaults_loseAtMostAPoint(int ranks, long seed) throws Exception {
        List<ComparedRun> runs =
                compare(ranks, parsed(OPTIMIZERS).variants(options(TrainOptions.DEFAULT_EPOCHS, seed), null));
        requireAsAccurate(runs, runs);
        assertThat(run(runs, "zero-one-adam", true).ratio()).isGreaterThan(10);
    }

    @Test
    void bytes_areThoseOfTheSteps() throws Exception {
        TrainOptions one = new TrainOptions(1, 1437, 0.1f, 1, folder.resolve("chart.png"));
        List<ComparedRun> runs = compare(2, parsed("--compress=int8").variants(one, null));
        int parameters = 64 * 64 + 64 + 64 * 10 + 10;
        // A rank of two sends one half of the elements, to be added up, and the sum of the other.
        assertThat(run(runs, "uncompressed", true).sentBytes()).isBetween(4L * parameters, 4L * parameters + 100);
        assertThat(run(runs, "int8", true).sentBytes()).isBetween((long) parameters, parameters + 300L);
        assertThat(run(runs, "int8", true).curve()).hasSize(1);
        BufferedImage chart = ImageIO.read(folder.resolve("chart.png").toFile());
        assertThat(chart.getWidth()).isEqualTo(1000);
    }

    /** What the page's training has sent follows from a first step, in which ranks agree on their buckets, and from a second. Thresholds adapt, so theirs does not. */
    @Test
    void bytesOnThePage_areThoseOfAsManySteps() throws Exception {
        String page = Files.readString(Path.of("..", "..", "docs", "compression.md"));
        long steps = number(page, "in ([0-9,]+) steps of 4,810 gradients");
        List<ComparedRun> one = ofFullBatches(1);
        List<ComparedRun> two = ofFullBatches(2);
        assertThat(one)
                .extracting(ComparedRun::method)
                .containsExactly("uncompressed", "one-bit", "int8", "int4", "top-k", "powersgd");
        for (int i = 0; i < one.size(); i++) {
            String method = one.get(i).method();
            long first = one.get(i).sentBytes();
            assertThat(first + (steps - 1) * (two.get(i).sentBytes() - first))
                    .as(method)
                    .isEqualTo(number(
                            page,
                            "(?i)\\n\\| " + method + "[^|]*\\| [0-9.]+ \\| [0-9.]+ \\| ([0-9]+(?:,[0-9]{3})+) \\|"));
        }
    }

    private List<ComparedRun> ofFullBatches(int steps) throws Exception {
        TrainOptions options = new TrainOptions(steps, 1437, 0.1f, 1, folder.resolve("chart.png"));
        return compare(
                4,
                only(
                        parsed("--compress=one-bit,int8,int4,top-k,powersgd").variants(options, null),
                        ComparedTraining::feedsBack));
    }

    private static long number(String page, String pattern) {
        Matcher found = Pattern.compile(pattern).matcher(page);
        assertThat(found.find()).as(pattern).isTrue();
        return Long.parseLong(found.group(1).replace(",", ""));
    }

    @Test
    void oneRank_sendsNothing_andIsDrawn() throws Exception {
        TrainOptions one = new TrainOptions(1, 700, 0.1f, 1, folder.resolve("chart.png"));
        assertThat(compare(1, parsed("--optimizer=one-bit-adam").variants(one, null)))
                .allMatch(run -> run.sentBytes() == 0 && run.ratio() == 1);
        assertThat(folder.resolve("chart.png")).isNotEmptyFile();
    }

    @Test
    void variants_ofBoth_areRefused() {
        CompareOptions both = parsed("--compress=int8", "--optimizer=adam");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> both.variants(options(1, 1), null))
                .withMessageContaining("compress=[int8], optimizer=[adam]");
    }

    @Test
    void learningRate_isEachOptimizersOwn_unlessItIsChosen() {
        CompareOptions compare = parsed("--optimizer=one-bit-lamb,sgd,sgd");
        assertThat(compare.variants(options(1, 1), null))
                .extracting(variant -> variant.options().learningRate())
                .containsExactly(0.01f, 0.01f, 0.6f);
        assertThat(compare.variants(options(1, 1), 0.2f))
                .extracting(variant -> variant.options().learningRate())
                .containsOnly(0.2f);
        assertThat(compare.variants(options(1, 1), null))
                .extracting(ComparedTraining::reference)
                .containsExactly("lamb", "lamb", "sgd");
    }

    @Test
    void unusedPixels_areThoseOfTheBorder() {
        Mlp model = Training.model(1);
        long first = UnusedPixels.mask(model, Digits.load().train()).zeros().stream()
                .mapToLong(run -> run.at())
                .findFirst()
                .orElseThrow();
        assertThat(first).isZero();
        Digits bright = new Digits(new float[Digits.PIXELS], new int[1]);
        IntStream.range(0, Digits.PIXELS).forEach(pixel -> bright.images()[pixel] = pixel % 2);
        assertThat(UnusedPixels.mask(model, bright).zeros())
                .hasSize(64 * Digits.PIXELS / 2)
                .allMatch(run -> run.at() % 2 == 0 && run.count() == 1);
    }
}
