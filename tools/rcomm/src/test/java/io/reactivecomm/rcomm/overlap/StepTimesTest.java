package io.reactivecomm.rcomm.overlap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.CommException;
import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepTimesTest {

    private static final double MILLI = 1e6;

    @Test
    void union_ofSpansThatOverlapTouchAndLieApart_countsEachMomentOnce() {
        List<TimeSpan> spans = List.of(
                Example.span("late", 50, 60),
                Example.span("first", 10, 20),
                Example.span("inside", 12, 15),
                Example.span("overlapping", 15, 25),
                Example.span("touching", 25, 30),
                Example.span("empty", 40, 40));

        assertThat(TimeSpan.unionNanos(spans) / MILLI).isEqualTo(30);
        assertThat(TimeSpan.unionNanos(List.of())).isZero();
    }

    @Test
    void step_whoseLastBucketEndsAfterTheBackwardPass_exposesTheRest() {
        StepTimes step = Example.step(1000, 90);

        assertThat(step.stepNanos() / MILLI).isEqualTo(100);
        assertThat(step.computeNanos() / MILLI).isEqualTo(80);
        assertThat(step.communicationNanos() / MILLI).isEqualTo(50);
        assertThat(step.exposedNanos() / MILLI).isEqualTo(20);
    }

    @Test
    void step_whoseBucketsEndBeforeTheBackwardPass_orWithoutAny_exposesNothing() {
        assertThat(Example.step(0, 65).exposedNanos()).isZero();
        assertThat(new StepTimes(Example.span("step", 0, 9), 5, List.of(), List.of()).exposedNanos())
                .isZero();
    }

    /** A reduction that is in flight for all of the step, as it waits for a core, and for 10 ms after the backward pass. */
    private static StepTimes stretched() {
        return new StepTimes(
                Example.span("step", 0, 200), 190_000_000, List.of(), List.of(Example.span("bucket 0", 0, 200)));
    }

    private static OverlapRun run(Variant variant, StepTimes... steps) {
        return run(Contents.PLAIN, variant, steps);
    }

    private static OverlapRun run(Contents contents, Variant variant, StepTimes... steps) {
        return new OverlapRun("pigeons", Example.SHAPE, contents, variant, List.of(new RankRun(7, List.of(steps))));
    }

    /** {@return the row of a run with plain buckets} */
    private static OverlapRow row(OverlapRun run, OverlapRun reference) {
        return OverlapRow.of(run, reference, run, 7);
    }

    @Test
    void hiddenShare_isOfTheCommunicationAfterTheBackwardPass_notOfWhatOverlapMadeLonger() {
        OverlapRow row = row(
                run(Variant.BUCKETS_OVERLAPPED, stretched()), run(Variant.REDUCE_AFTER_BACKWARD, Example.step(0, 80)));

        assertThat(row.communicationMillis()).isEqualTo(200);
        assertThat(row.hiddenShare()).isCloseTo(1 - 10.0 / 40, within(1e-12));
        assertThat(row.medianHiddenShare()).isCloseTo(1 - 10.0 / 40, within(1e-12));
    }

    @Test
    void savedShare_isTheDifferenceOfSteps_negativeWhereTheyAreLonger() {
        OverlapRun after = run(Variant.REDUCE_AFTER_BACKWARD, Example.step(0, 80));
        StepTimes shorter = new StepTimes(Example.span("step", 0, 70), 70_000_000, List.of(), List.of());

        assertThat(row(run(Variant.BUCKETS_OVERLAPPED, shorter), after).savedShare())
                .isCloseTo(30.0 / 40, within(1e-12));
        assertThat(row(run(Variant.BUCKETS_OVERLAPPED, stretched()), after).savedShare())
                .isCloseTo(-100.0 / 40, within(1e-12));
    }

    @Test
    void shares_ofMoreWaitThanCommunication_areNegative_andOfNoneZero() {
        StepTimes none = new StepTimes(Example.span("step", 0, 9), 5, List.of(), List.of());
        OverlapRun silent = run(Variant.REDUCE_AFTER_BACKWARD, none);

        assertThat(OverlapRow.hiddenShare(50, 40)).isCloseTo(-0.25, within(1e-12));
        assertThat(row(silent, silent))
                .extracting(OverlapRow::hiddenShare, OverlapRow::medianHiddenShare, OverlapRow::savedShare)
                .containsExactly(0.0, 0.0, 0.0);
    }

    @Test
    void reference_isTheRunOverTheSameLinksThatReducesAfterTheBackwardPass() {
        OverlapRun after = run(Variant.REDUCE_AFTER_BACKWARD, Example.step(0, 80));
        OverlapRun overlapped = run(Variant.BUCKETS_OVERLAPPED, Example.step(0, 80));

        assertThat(after.isReferenceOf(after)).isTrue();
        assertThat(after.isReferenceOf(overlapped)).isTrue();
        assertThat(overlapped.isReferenceOf(overlapped)).isFalse();
        assertThat(new OverlapRun(
                                "pigeons", LinkShape.NONE, Contents.PLAIN, Variant.REDUCE_AFTER_BACKWARD, after.ranks())
                        .isReferenceOf(overlapped))
                .isFalse();
    }

    @Test
    void runs_ofCompressedBuckets_areComparedWithTheirOwn_andAreShorterThanPlainOnes() {
        Contents oneBit = new Contents(CodecChoice.ONE_BIT);
        OverlapRun plain = run(Variant.BUCKETS_OVERLAPPED, stretched());
        OverlapRun after = run(oneBit, Variant.REDUCE_AFTER_BACKWARD, Example.step(0, 80));
        OverlapRun overlapped = run(oneBit, Variant.BUCKETS_OVERLAPPED, Example.step(0, 80));

        assertThat(after.isReferenceOf(overlapped)).isTrue();
        assertThat(after.isReferenceOf(plain)).isFalse();
        assertThat(plain.isPlainOf(overlapped)).isTrue();
        assertThat(plain.isPlainOf(after)).isFalse();
        assertThat(plain.isOfContentsOf(overlapped)).isFalse();
        assertThat(OverlapRow.of(overlapped, after, plain, 7))
                .extracting(OverlapRow::buckets, OverlapRow::bitsPerSecond, OverlapRow::shorterShare)
                .containsExactly("one-bit", 1_000_000_000L, 0.5);
    }

    @Test
    void row_hasMediansOverAllSteps_andCountsRanksThatDiffer() {
        OverlapRun run = Example.run(Variant.BUCKETS_OVERLAPPED, 0, 8);
        OverlapRow row = row(run, run);

        assertThat(row)
                .isEqualTo(new OverlapRow(
                        "pigeons",
                        2,
                        1_000_000_000,
                        "plain",
                        "buckets overlapped",
                        2,
                        3,
                        100,
                        80,
                        40,
                        10,
                        row.hiddenShare(),
                        0.75,
                        0,
                        0,
                        "0000000000000007",
                        1));
        assertThat(row.hiddenShare()).isCloseTo(1 - 35.0 / 125, within(1e-12));
        assertThatThrownBy(() -> Overlap.requireNoErrors(List.of(row)))
                .isInstanceOf(CommException.class)
                .hasMessageContaining(
                        "parameters differ: links=pigeons, variant=buckets overlapped, buckets=plain, ranks=1");
    }
}
