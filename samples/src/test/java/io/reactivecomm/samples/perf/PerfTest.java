package io.reactivecomm.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.samples.LocalWorldRuns;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class PerfTest {

    private static final PerfOptions.Timing SHORT = new PerfOptions.Timing(3, Duration.ofMillis(5), Duration.ofMillis(5));

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();

    private JsonNode measure(int ranks, PerfOp op, DType type, Buffers buffers) throws Exception {
        Path json = folder.resolve("rows.json");
        List<Long> counts = op.isOfList() ? List.of(3L, 0L, 20_000L) : List.of();
        PerfOptions options = new PerfOptions(op, List.of(24L, 120_000L), counts, type, "", buffers, SHORT, json);
        Perf perf = new Perf(options, "local", new PrintWriter(out));
        LocalWorldRuns.onEachRank(ranks, group -> {
            perf.run(group);
            return group.rank();
        });
        return JsonMapper.shared().readTree(Files.readString(json));
    }

    @ParameterizedTest
    @EnumSource(PerfOp.class)
    void run_eachOperation_findsNoErrors(PerfOp op) throws Exception {
        JsonNode rows = measure(3, op, DType.FLOAT32, Buffers.PRIVATE);
        assertThat(rows.size()).isEqualTo(op.isBarrier() || op.isOfList() ? 1 : 2);
        for (JsonNode row : rows) {
            assertThat(row.get("op").asString()).isEqualTo(op.toString());
            assertThat(row.get("errors").asLong()).isZero();
            assertThat(row.get("algorithm").asString()).isNotEmpty();
            assertThat(row.get("minMicros").asDouble()).isPositive();
            assertThat(row.get("medianMicros").asDouble())
                    .isBetween(
                            row.get("minMicros").asDouble(),
                            row.get("maxMicros").asDouble());
        }
        assertThat(out.toString().lines()).hasSize(2 + rows.size());
    }

    @Test
    void run_list_countsAllBytes() throws Exception {
        assertThat(measure(2, PerfOp.LIST, DType.FLOAT32, Buffers.PRIVATE)
                        .get(0)
                        .get("bytes")
                        .asLong())
                .isEqualTo(4 * 20_003);
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"BOOL", "FLOAT8_E4M3", "FLOAT8_E5M2"})
    void run_eachType_findsNoErrors(DType type) throws Exception {
        for (JsonNode row : measure(2, PerfOp.ALL_REDUCE, type, Buffers.SHARED)) {
            assertThat(row.get("errors").asLong()).isZero();
            assertThat(row.get("buffers").asString()).isEqualTo("shared");
        }
    }

    @Test
    void measure_oneRankHasAWrongElement_countsItOnBothChecks() throws Exception {
        List<Long> errors = LocalWorldRuns.onEachRank(
                2, group -> new Rounds(group, broken(group), SHORT).measure().errors());
        assertThat(errors).containsExactly(2L, 2L);
    }

    private static Measured broken(ProcessGroup group) {
        Measured right = CollectiveCase.of(PerfOp.ALL_REDUCE, 64, DType.FLOAT32, Buffers.PRIVATE, group);
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
}
