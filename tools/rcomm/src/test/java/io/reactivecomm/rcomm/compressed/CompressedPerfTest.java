package io.reactivecomm.rcomm.compressed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.rcomm.latency.Rate;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import io.reactivecomm.samples.programs.codec.CodecSettings;
import io.reactivecomm.samples.programs.codec.NamedReduction;
import io.reactivecomm.testkit.LocalWorldRuns;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CompressedPerfTest {

    private static final CompressedOptions.Timing SHORT = new CompressedOptions.Timing(2, Duration.ZERO, Duration.ZERO);

    private final StringWriter out = new StringWriter();

    private List<CompressedRow> measure(int ranks, LinkShape shape, List<CodecChoice> codecs, Long... sizes)
            throws Exception {
        CompressedOptions options = new CompressedOptions(codecs, List.of(sizes), shape, SHORT);
        List<CompressedRow> rows = new ArrayList<>();
        CompressedPerf perf =
                new CompressedPerf(options, "local", new CompressedTable(new PrintWriter(out)), rows::addAll);
        LocalWorldRuns.onEachRank(ranks, group -> {
            perf.run(group);
            return group.rank();
        });
        return rows;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void run_allCodecs_findsNoErrors(int ranks) throws Exception {
        List<CompressedRow> rows = measure(ranks, LinkShape.NONE, List.of(CodecChoice.values()), 4L, 40_012L);

        assertThat(rows).hasSize(2 * CodecChoice.values().length).allSatisfy(row -> {
            assertThat(row.errors()).as(row.toString()).isZero();
            assertThat(row.ranks()).isEqualTo(ranks);
            assertThat(row.links()).isEqualTo("local");
            assertThat(row.medianMicros()).isBetween(row.minMicros(), row.maxMicros());
            assertThat(row.speedUp()).isEqualTo(row.plainMicros() / row.medianMicros());
        });
        assertThat(out.toString().lines().filter(line -> !line.startsWith("#")))
                .hasSize(rows.size())
                .allMatch(line -> line.endsWith(" 0"));
    }

    @Test
    void run_slowLinks_areMeasuredAfterTheOwn_andCountWhatIsSent() throws Exception {
        List<CompressedRow> rows = measure(
                2,
                LinkShape.of(Duration.ofNanos(1000), Rate.parse("2gbit")),
                List.of(CodecChoice.INT8, CodecChoice.POWERSGD),
                400_000L);

        assertThat(rows)
                .extracting(CompressedRow::links)
                .containsExactly("local", "local", "tcp + 0.001 ms at 2 Gbit/s", "tcp + 0.001 ms at 2 Gbit/s");
        assertThat(rows).allMatch(row -> row.errors() == 0);
        assertThat(rows.get(2).plainWireBytes()).isBetween(400_000L, 420_000L);
        assertThat(rows.get(2).wireBytes()).isBetween(100_000L, 110_000L);
        assertThat(rows.get(3).wireBytes()).isBetween(2 * 4 * 316L, 6_000L);
    }

    /** Of 25,000 bytes each rank sends as many, in halves between which a burst may come back: 20 ms, but for two bursts of 6.6 ms. */
    @Test
    void run_smallCalls_areHeldToTheRate() throws Exception {
        LinkShape slow = LinkShape.of(Duration.ZERO, Rate.parse("10mbit")).forCallsOf(25_000);
        assertThat(measure(2, slow, List.of(CodecChoice.INT8), 25_000L)
                        .getLast()
                        .plainMicros())
                .isGreaterThan(6_000);
    }

    /** {@return how many elements are wrong in a first step of which one element was changed by the last digit that counts} */
    private static long wrongOfChanged(CodecChoice codec, ProcessGroup group, float change) {
        CompressionInputs inputs = CompressionInputs.of(codec, group.size(), 5000);
        try (NamedReduction reduction = codec.begin(CodecSettings.DEFAULT);
                Tensor tensor = Tensor.of(new float[(int) inputs.count()], inputs.shape())) {
            inputs.fill(group.rank(), tensor);
            reduction.sum(group, "changed", tensor).block();
            float right = tensor.segment().getAtIndex(ValueLayout.JAVA_FLOAT, 4000);
            tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT, 4000, right + change);
            return ResultCheck.of(codec, inputs).wrong(tensor, true);
        }
    }

    @ParameterizedTest
    @EnumSource
    void check_ofAnElementThatIsOff_findsIt(CodecChoice codec) throws Exception {
        assertThat(LocalWorldRuns.onEachRank(2, group -> wrongOfChanged(codec, group, 0)))
                .containsExactly(0L, 0L);
        assertThat(LocalWorldRuns.onEachRank(2, group -> wrongOfChanged(codec, group, 2)))
                .containsExactly(1L, 1L);
    }

    @Test
    void checks_ofPlainSums_seeTheLastBit() throws Exception {
        CompressionInputs inputs = CompressionInputs.scattered(2, 9);
        float[] sums = new float[9];
        inputs.sum(0, sums, new float[9], 9);
        try (Tensor right = Tensor.of(sums)) {
            assertThat(BoundedCheck.exact(inputs).wrong(right, true)).isZero();
            right.segment().setAtIndex(ValueLayout.JAVA_FLOAT, 5, Math.nextUp(sums[5]));
            assertThat(BoundedCheck.exact(inputs).wrong(right, true)).isEqualTo(1);
        }
    }

    @Test
    void hash_tellsTensorsApart() {
        try (Tensor one = Tensor.of(new float[] {1, 2, 3});
                Tensor same = Tensor.of(new float[] {1, 2, 3});
                Tensor swapped = Tensor.of(new float[] {2, 1, 3});
                Tensor last = Tensor.of(new float[] {1, 2, -3})) {
            assertThat(ResultHash.of(one))
                    .isEqualTo(ResultHash.of(same))
                    .isNotEqualTo(ResultHash.of(swapped))
                    .isNotEqualTo(ResultHash.of(last));
        }
    }

    @Test
    void rows_withErrors_failTheCommand() {
        CompressedRow wrong = new CompressedRow("int8", 2, 400, "tcp", 1, 1, 1, 100, 2, 400, 2, 3);

        assertThatThrownBy(() -> CompressedPerf.requireNoErrors(List.of(wrong)))
                .isInstanceOf(CommException.class)
                .hasMessage(
                        "results are wrong: codec=int8, ranks=2, bytes=400, links=tcp, errors=3; report this as a defect of the codec or its reduction");
    }
}
