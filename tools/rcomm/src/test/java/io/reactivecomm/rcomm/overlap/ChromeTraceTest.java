package io.reactivecomm.rcomm.overlap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ChromeTraceTest {

    @TempDir
    private Path folder;

    private List<JsonNode> written(List<OverlapRun> runs) throws Exception {
        Path file = folder.resolve("new/trace.json");
        ChromeTrace.write(runs, file);
        JsonNode array = JsonMapper.shared().readTree(Files.readString(file));
        assertThat(array.isArray()).isTrue();
        return StreamSupport.stream(array.spliterator(), false).toList();
    }

    private static List<String> names(List<JsonNode> events, String kind, int rank) {
        return events.stream()
                .filter(event -> event.get("name").asString().equals(kind)
                        && event.get("pid").asInt() == rank)
                .map(event -> event.get("tid").asInt() + " "
                        + event.get("args").get("name").asString())
                .toList();
    }

    @Test
    void write_twoRuns_namesRanksAndLanes() throws Exception {
        List<JsonNode> events = written(List.of(
                Example.run(Variant.REDUCE_AFTER_BACKWARD, 5000, 7), Example.run(Variant.BUCKETS_OVERLAPPED, 9000, 7)));

        for (int rank = 0; rank < 2; rank++) {
            assertThat(names(events, "process_name", rank)).containsExactly("0 rank " + rank);
            assertThat(names(events, "thread_name", rank))
                    .containsExactly("0 runs", "1 compute", "2 bucket 0", "3 bucket 1");
        }
        assertThat(events.stream().map(event -> event.get("ph").asString()).distinct())
                .containsExactly("M", "X");
    }

    @Test
    void write_steps_areCompleteEventsInMicrosecondsSinceTheFirst() throws Exception {
        List<JsonNode> events = written(List.of(Example.run(Variant.BUCKETS_OVERLAPPED, 9000, 7)));
        List<JsonNode> complete = events.stream()
                .filter(event -> event.get("ph").asString().equals("X"))
                .toList();

        assertThat(complete).hasSize(2 * (1 + 3 * 5));
        assertThat(complete.getFirst().propertyNames()).containsExactly("name", "ph", "pid", "tid", "ts", "dur");
        assertThat(complete.getFirst().get("name").asString()).isEqualTo("pigeons, buckets overlapped");
        assertThat(complete.getFirst().get("dur").asDouble()).isEqualTo(300_000);
        JsonNode bucket = complete.stream()
                .filter(event -> event.get("name").asString().equals("bucket 1"))
                .findFirst()
                .orElseThrow();
        assertThat(bucket.get("tid").asInt()).isEqualTo(3);
        assertThat(bucket.get("ts").asDouble()).isEqualTo(55_000);
        assertThat(bucket.get("dur").asDouble()).isEqualTo(35_000);
    }
}
