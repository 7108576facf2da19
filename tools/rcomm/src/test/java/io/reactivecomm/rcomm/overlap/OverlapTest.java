package io.reactivecomm.rcomm.overlap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.rcomm.latency.DelayedTransport;
import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.rcomm.latency.Rate;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import io.reactivecomm.samples.programs.train.Digits;
import io.reactivecomm.samples.programs.world.RankDevices;
import io.reactivecomm.testkit.LocalWorldRuns;
import io.reactivecomm.timeline.Timeline;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHooks;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

@Timeout(60)
class OverlapTest {

    /** 13 images on the ranks, and buckets of a layer or two. */
    private static final OverlapOptions TINY = new OverlapOptions(
            3,
            List.of(12, 12, 12),
            13,
            1200,
            "",
            LinkShape.of(Duration.ofMillis(1), Rate.UNLIMITED),
            Contents.PLAIN,
            5);

    private static final Digits DATA = Digits.load().train();

    private static RankRun train(ProcessGroup group, Variant variant) {
        return train(group, variant, Contents.PLAIN);
    }

    private static RankRun train(ProcessGroup group, Variant variant, Contents contents) {
        try (TrainingRun training = new TrainingRun(group, variant, contents, TINY, DATA)) {
            return training.train();
        }
    }

    private static List<RankRun> trainBothOnBothLinks(ProcessGroup group) {
        try (ProcessGroup late = DelayedTransport.overTcp(TINY.shape())
                .secondWorld(group)
                .blockOptional()
                .orElseThrow()) {
            return Stream.of(group, late)
                    .flatMap(links -> Stream.of(Variant.values()).map(variant -> train(links, variant)))
                    .toList();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, 1001})
    void backwardPass_outOfRange_isRefused(long millis) {
        assertThatThrownBy(() -> new DeviceTrainer(TINY, RankDevices.HOST, Duration.ofMillis(millis)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("length of the backward pass is out of range");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void train_bothVariantsOnBothLinks_endAtTheSameParametersOnAllRanks(int ranks) throws Exception {
        List<RankRun> runs = LocalWorldRuns.onEachRank(ranks, OverlapTest::trainBothOnBothLinks).stream()
                .flatMap(List::stream)
                .toList();

        assertThat(runs).hasSize(4 * ranks);
        assertThat(runs.stream().map(RankRun::hash).distinct()).hasSize(1);
        assertThat(runs).allSatisfy(run -> assertThat(run.steps()).hasSize(3));
    }

    @Test
    void train_oneStep_notesComputeAndEachBucket() throws Exception {
        List<RankRun> runs = LocalWorldRuns.onEachRank(2, group -> train(group, Variant.REDUCE_AFTER_BACKWARD));

        assertThat(runs).flatExtracting(RankRun::steps).allSatisfy(step -> {
            assertThat(step.compute())
                    .extracting(TimeSpan::name)
                    .containsExactly("forward", "backward", "optimizer", "optimizer", "optimizer", "optimizer");
            assertThat(step.reductions())
                    .extracting(TimeSpan::name)
                    .containsExactly("bucket 0", "bucket 1", "bucket 2");
            assertThat(step.reductions())
                    .allMatch(reduction -> reduction.fromNanos() >= step.backwardEndNanos())
                    .allMatch(reduction -> reduction.toNanos() <= step.step().toNanos());
        });
        OverlapRun run = new OverlapRun("local", LinkShape.NONE, Contents.PLAIN, Variant.REDUCE_AFTER_BACKWARD, runs);
        assertThat(OverlapRow.of(run, run, run, 0).hiddenShare()).isNotPositive();
    }

    @Test
    void timeline_ofAllRanks_isOneTrace_inWhichBucketsAreNamed(@TempDir Path folder) throws Exception {
        OverlapOptions options =
                new OverlapOptions(1, List.of(12, 12), 13, 1200, "", LinkShape.NONE, Contents.PLAIN, 5);
        Path timeline = folder.resolve("timeline.json");
        StringWriter out = new StringWriter();
        Overlap overlap = new Overlap(
                options,
                new Overlap.Outputs(folder.resolve("trace.json"), folder.resolve("chart.png"), null, timeline),
                "local",
                new PrintWriter(out));
        LocalWorldRuns.onEachRank(2, group -> {
            overlap.run(group);
            return group.rank();
        });

        assertThat(out.toString()).contains("the same process", " exposed communication, ", "timeline " + timeline);
        assertThat(Files.readString(timeline))
                .contains("\"rank 0\"", "\"rank 1\"", "\"gradient buckets\"", "/bucket.0#0\"", "/bucket.1#0\"");
        assertThat(Timeline.partOf(timeline, 0)).doesNotExist();
    }

    @Test
    void train_compressedBuckets_endAtTheSameParametersOnAllRanks_andNoteEachBucket() throws Exception {
        Contents oneBit = new Contents(CodecChoice.ONE_BIT);
        List<RankRun> runs = LocalWorldRuns.onEachRank(
                        2,
                        group -> Stream.of(Variant.values())
                                .map(variant -> train(group, variant, oneBit))
                                .toList())
                .stream()
                .flatMap(List::stream)
                .toList();

        assertThat(runs).hasSize(4);
        assertThat(runs.stream().map(RankRun::hash).distinct()).hasSize(1);
        assertThat(runs)
                .flatExtracting(RankRun::steps)
                .allSatisfy(step -> assertThat(step.reductions())
                        .extracting(TimeSpan::name)
                        .containsExactlyInAnyOrder("bucket 0", "bucket 1", "bucket 2"));
    }

    @Test
    void variant_afterBackward_handsOverNothingBeforeItsEnd() {
        try (Tensor tensor = Tensor.of(new float[1])) {
            TestPublisher<Gradient> backward = TestPublisher.create();

            StepVerifier.create(GradientHooks.of(Variant.REDUCE_AFTER_BACKWARD.hook())
                            .apply(backward.flux())
                            .map(Gradient::name))
                    .then(() -> backward.next(new Gradient("layer2", tensor), new Gradient("layer1", tensor)))
                    .expectNoEvent(Duration.ZERO)
                    .then(backward::complete)
                    .expectNext("layer2", "layer1")
                    .verifyComplete();
        }
    }

    @Test
    void variant_overlapped_handsOverAtOnce() {
        try (Tensor tensor = Tensor.of(new float[1])) {
            TestPublisher<Gradient> backward = TestPublisher.create();

            StepVerifier.create(GradientHooks.of(Variant.BUCKETS_OVERLAPPED.hook())
                            .apply(backward.flux())
                            .map(Gradient::name))
                    .then(() -> backward.next(new Gradient("layer2", tensor)))
                    .expectNext("layer2")
                    .then(backward::complete)
                    .verifyComplete();
        }
    }

    @Test
    void options_withMoreSpansThanAnObjectHolds_areRefused() {
        assertThatThrownBy(() -> new OverlapOptions(
                        5000, Collections.nCopies(20, 8), 16, 1200, "", LinkShape.NONE, Contents.PLAIN, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "too much would be recorded: steps=5000, layers=21, spans=225000, most=150000; take fewer steps, or fewer layers");
    }

    @Test
    void ends_ofWhichSomeFail_areAllReached_andTheFirstFailureIsTold() {
        List<String> reached = new ArrayList<>();
        CommException differ = new CommException("parameters differ");
        UncheckedIOException unwritten = new UncheckedIOException("cannot write", new IOException("planted"));

        assertThatThrownBy(() -> Overlap.allOf(List.of(
                        () -> {
                            throw differ;
                        },
                        () -> reached.add("json"),
                        () -> {
                            throw unwritten;
                        },
                        () -> reached.add("chart"))))
                .isSameAs(differ)
                .hasSuppressedException(unwritten);
        assertThat(reached).containsExactly("json", "chart");
    }
}
