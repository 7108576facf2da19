package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PerfJsonTest {

    private static final PerfRow ROW = new PerfRow(
            "all-reduce", 4, 1024, "tcp", "private", "float32", "gather-fold", 12.5, 11, 14.25, 0.08192, 0.12288, 0);

    @Test
    void write_rows_hasTheDocumentedKeysInOrder(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("out/rows.json");
        PerfJson.write(List.of(ROW, ROW), file);
        JsonNode rows = JsonMapper.shared().readTree(Files.readString(file));
        assertThat(rows.isArray()).isTrue();
        assertThat(rows.size()).isEqualTo(2);
        assertThat(rows.get(0).propertyNames())
                .containsExactly(
                        "op",
                        "ranks",
                        "bytes",
                        "transport",
                        "buffers",
                        "dtype",
                        "algorithm",
                        "medianMicros",
                        "minMicros",
                        "maxMicros",
                        "algbwGBps",
                        "busbwGBps",
                        "errors");
        assertThat(rows.get(0).get("medianMicros").asDouble()).isEqualTo(12.5);
        assertThat(rows.get(1).get("op").asString()).isEqualTo("all-reduce");
    }

    @Test
    void requireNoErrors_wrongElements_failsWithTheRow() {
        PerfRow wrong = new PerfRow("reduce", 2, 64, "tcp", "private", "float32", "direct", 1, 1, 1, 0.064, 0.064, 3);
        Perf.requireNoErrors(List.of(ROW));
        assertThatThrownBy(() -> Perf.requireNoErrors(List.of(ROW, wrong)))
                .isInstanceOf(CommException.class)
                .hasMessageStartingWith("results are wrong: op=reduce, bytes=64, errors=3, algorithm=direct");
    }
}
