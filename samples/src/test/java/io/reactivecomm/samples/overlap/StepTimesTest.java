package io.reactivecomm.samples.overlap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.CommException;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepTimesTest {

    private static final double MILLI = 1e6;

    @Test
    void union_ofSpansThatOverlapTouchAndLieApart_countsEachMomentOnce() {
        List<Span> spans = List.of(
                Example.span("late", 50, 60),
                Example.span("first", 10, 20),
                Example.span("inside", 12, 15),
                Example.span("overlapping", 15, 25),
                Example.span("touching", 25, 30),
                Example.span("empty", 40, 40));

        assertThat(Span.unionNanos(spans) / MILLI).isEqualTo(30);
        assertThat(Span.unionNanos(List.of())).isZero();
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
        assertThat(new StepTimes(Example.span("step", 0, 9), 5, List.of(), List.of()).exposedNanos()).isZero();
    }

    @Test
    void hiddenShare_isOneMinusExposedByCommunication_overAllSteps() {
        assertThat(OverlapRow.hiddenShare(List.of(Example.step(0, 90), Example.step(100, 60))))
                .isCloseTo(1 - 20.0 / 70, within(1e-12));
    }

    @Test
    void hiddenShare_ofReductionsAfterTheBackwardPass_orOfNone_isZero() {
        StepTimes after = new StepTimes(
                Example.span("step", 0, 100), 50_000_000, List.of(), List.of(Example.span("bucket 0", 51, 80)));

        assertThat(OverlapRow.hiddenShare(List.of(after))).isZero();
        assertThat(OverlapRow.hiddenShare(List.of(new StepTimes(Example.span("step", 0, 9), 5, List.of(), List.of()))))
                .isZero();
    }

    @Test
    void row_hasMediansOverAllSteps_andCountsRanksThatDiffer() {
        OverlapRow row = OverlapRow.of(Example.run(Variant.BUCKETS_OVERLAPPED, 0, 8), 7);

        assertThat(row)
                .isEqualTo(new OverlapRow(
                        "pigeons", 2, "buckets overlapped", 2, 3, 100, 80, 40, 10, row.hiddenShare(), 0.75, "0000000000000007", 1));
        assertThat(row.hiddenShare()).isCloseTo(1 - 35.0 / 125, within(1e-12));
        assertThatThrownBy(() -> Overlap.requireNoErrors(List.of(row)))
                .isInstanceOf(CommException.class)
                .hasMessageContaining("parameters differ: links=pigeons, variant=buckets overlapped, ranks=1");
    }
}
