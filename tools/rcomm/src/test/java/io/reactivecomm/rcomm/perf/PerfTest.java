package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.samples.programs.world.Transport;
import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.LocalWorldRuns;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

@Timeout(60)
class PerfTest {

    private static final PerfOptions.Timing SHORT =
            new PerfOptions.Timing(3, Duration.ofMillis(5), Duration.ofMillis(5), 0, false);

    private final StringWriter out = new StringWriter();

    private List<PerfRow> measure(int ranks, PerfOp op, DType type, Buffers buffers, Long... sizes) throws Exception {
        List<Long> counts = op.isOfList() ? List.of(3L, 0L, 20_000L) : List.of();
        return measure(ranks, new PerfOptions(op, List.of(sizes), counts, type, "", SHORT), buffers);
    }

    private List<PerfRow> measure(int ranks, PerfOptions options, Buffers buffers) throws Exception {
        List<PerfRow> rows = new ArrayList<>();
        Perf perf = new Perf(
                options,
                new Setup(Transport.LOCAL, buffers),
                new PerfTable(new PrintWriter(out), options),
                rows::addAll);
        LocalWorldRuns.onEachRank(ranks, group -> {
            perf.run(group);
            return group.rank();
        });
        return rows;
    }

    /** Each operation, in the suite with one kind of buffers, in turn. */
    static Stream<Arguments> operationsAndBuffers() {
        int kinds = Buffers.values().length;
        return Stream.of(PerfOp.values())
                .flatMap(op -> Stream.of(Buffers.values())
                        .filter(buffers -> Depth.isWhole() || op.ordinal() % kinds == buffers.ordinal())
                        .map(buffers -> arguments(op, buffers)));
    }

    @ParameterizedTest
    @MethodSource("operationsAndBuffers")
    void run_eachOperationAndBuffers_findsNoErrors(PerfOp op, Buffers buffers) throws Exception {
        List<PerfRow> rows = measure(3, op, DType.FLOAT32, buffers, 24L, 120_000L);
        assertThat(rows).hasSize(op.isBarrier() || op.isOfList() ? 1 : 2);
        for (PerfRow row : rows) {
            assertThat(row.op()).isEqualTo(op.toString());
            assertThat(row.transport()).isEqualTo("local");
            assertThat(row.buffers()).isEqualTo(buffers.toString());
            assertThat(row.errors()).isZero();
            assertThat(row.algorithm()).isNotEmpty();
            assertThat(row.minMicros()).isPositive();
            assertThat(row.medianMicros()).isBetween(row.minMicros(), row.maxMicros());
        }
        List<String> shown = out.toString()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .skip(1)
                .toList();
        assertThat(shown).hasSize(rows.size());
        assertThat(shown).allMatch(line -> line.matches(op + " +3 +\\d+ local +" + buffers + " +float32 .* 0"));
    }

    @Test
    void run_list_countsAllBytes() throws Exception {
        assertThat(measure(2, PerfOp.LIST, DType.FLOAT32, Buffers.PRIVATE))
                .extracting(PerfRow::bytes)
                .containsExactly(4L * 20_003);
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"BOOL", "FLOAT8_E4M3", "FLOAT8_E5M2"})
    void run_eachType_findsNoErrors(DType type) throws Exception {
        assertThat(measure(2, PerfOp.ALL_REDUCE, type, Buffers.SHARED, 24L, 120_000L))
                .hasSize(2)
                .allMatch(row -> row.errors() == 0);
    }

    @Test
    @Tag("thorough")
    void run_inferenceAllReduceWithoutSizes_measuresTheUsualOnes() throws Exception {
        List<PerfRow> rows = measure(3, PerfOp.INFERENCE_ALL_REDUCE, DType.FLOAT32, Buffers.PRIVATE);
        assertThat(rows).extracting(PerfRow::bytes).isEqualTo(PerfOp.USUAL_SIZES);
        assertThat(rows).allMatch(row -> row.errors() == 0);
    }

    @Test
    void run_sizesThatTheOperationRefuses_areSkippedInALineEach() throws Exception {
        List<PerfRow> rows = measure(2, gatherFold(1L << 22, 64L, 1L << 23, 128L), Buffers.PRIVATE);
        assertThat(rows).extracting(PerfRow::bytes).containsExactly(64L, 128L);
        assertThat(rows).allMatch(row -> row.errors() == 0);
        assertThat(out.toString().lines().filter(line -> line.startsWith("# skipped")))
                .hasSize(2)
                .anyMatch(line ->
                        line.startsWith("# skipped 4194304 bytes: ") && line.contains("cannot run that algorithm"))
                .anyMatch(line -> line.startsWith("# skipped 8388608 bytes: "));
    }

    @Test
    void run_allSizesAreRefused_fails() throws Exception {
        List<String> failures = LocalWorldRuns.onEachRank(2, group -> {
            PerfOptions options = gatherFold(1L << 22);
            try {
                new Perf(
                                options,
                                new Setup(Transport.LOCAL, Buffers.PRIVATE),
                                new PerfTable(new PrintWriter(out), options),
                                rows -> {})
                        .run(group);
                return "none";
            } catch (UnsupportedCollectiveException e) {
                return e.getMessage();
            }
        });
        assertThat(failures).hasSize(2).allMatch(failure -> failure.contains("cannot run that algorithm"));
    }

    /** An algorithm that refuses what does not travel without a grant. */
    private static PerfOptions gatherFold(Long... sizes) {
        return new PerfOptions(PerfOp.ALL_REDUCE, List.of(sizes), List.of(), DType.FLOAT32, "gather-fold", SHORT);
    }

    @Test
    void measure_oneRankHasAWrongElement_countsItOnBothChecks() throws Exception {
        List<Long> errors = LocalWorldRuns.onEachRank(
                2,
                group -> new Rounds(group, broken(group), SHORT, done -> {})
                        .measure()
                        .errors());
        assertThat(errors).containsExactly(2L, 2L);
    }

    private static Measured broken(ProcessGroup group) {
        Measured right = MeasuredCollective.of(PerfOp.ALL_REDUCE, 64, DType.FLOAT32, Buffers.PRIVATE, group);
        return new Measured() {
            @Override
            public PerfOp op() {
                return right.op();
            }

            @Override
            public long byteSize() {
                return right.byteSize();
            }

            @Override
            public void fill() {
                right.fill();
            }

            @Override
            public Flux<Work> calls() {
                return right.calls();
            }

            @Override
            public long wrongElements() {
                return right.wrongElements() + group.rank();
            }

            @Override
            public void close() {
                right.close();
            }
        };
    }

    @Test
    void cold_showsTheFirstCallsOfTheFirstSize() throws Exception {
        PerfOptions.Timing cold = new PerfOptions.Timing(1, Duration.ofMillis(5), Duration.ofMillis(5), 0, true);
        PerfOptions options = new PerfOptions(PerfOp.ALL_REDUCE, List.of(4L, 64L), List.of(), DType.FLOAT32, "", cold);

        List<PerfRow> rows = measure(2, options, Buffers.PRIVATE);

        assertThat(rows).hasSize(2).allSatisfy(row -> assertThat(row.errors()).isZero());
        assertThat(out.toString().lines().filter(line -> line.startsWith("# cold: JVM up for ")))
                .singleElement()
                .asString()
                .contains("first call ", "calls 2 to 100 ", "steady ", " after ");
    }
}
