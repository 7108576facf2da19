package io.reactivecomm.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class FlightDumpTest {

    @TempDir
    private Path folder;

    @Test
    void write_makesFolders_andReadGivesTheSame() throws IOException {
        FlightDump dump = Dumps.of(1, 2)
                .waitsIn("layer", 3, 0)
                .ended("layer", 2, 10, 5, new FailureRecord(FailureRecord.TIMEOUT, 0, "too \"late\""))
                .knows(0, PeerRecord.State.LOST, "")
                .make();
        Path file = folder.resolve("some/where/rank-1.json");
        dump.write(file);
        dump.write(file);
        assertThat(FlightDump.read(file)).isEqualTo(dump);
        try (Stream<Path> all = Files.list(file.getParent())) {
            assertThat(all).as("nothing unfinished stays").containsExactly(file);
        }
    }

    @Test
    void write_whereThereIsNoFolder_failsAndLeavesNothing() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> Dumps.of(0, 1).make().write(file.resolve("rank-0.json")))
                .isInstanceOf(IOException.class);
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all).containsExactly(file);
        }
    }

    @Test
    void write_toNoFile_saysSo() {
        assertThatThrownBy(() -> Dumps.of(0, 1).make().write(folder.getRoot()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("file's name");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{}",
                "[1]",
                "null",
                "{\"version\": 1}",
                "{\"version\": 1, \"origin\": null, \"loop\": {}, \"state\": {}, \"faults\": [], \"threads\": []}"
            })
    void read_ofWhatIsNone_namesTheFile(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("rank-0.json"), text);
        assertThatThrownBy(() -> FlightDump.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rank-0.json");
    }

    /** Only a failure may be none: the doctor looks at all else without asking. */
    @Test
    void read_ofANull_inTheWrongPlace_isNone() throws IOException {
        FailureRecord failure = new FailureRecord(FailureRecord.TIMEOUT, 0, "late");
        FlightDump dump = Dumps.of(0, 2)
                .waitsIn("layer", 1, 1)
                .ended("layer", 0, 10, 5, failure)
                .knows(1, PeerRecord.State.UP, "")
                .make();
        Path file = folder.resolve("rank-0.json");
        new FlightDump(
                        FlightDump.VERSION,
                        dump.origin(),
                        dump.loop(),
                        dump.state(),
                        List.of(new ProgramFault(Instant.EPOCH, "main", true, List.of("an error"), List.of("a frame"))),
                        List.of(new ThreadRecord("main", "RUNNABLE", true, false, "", "", List.of("a frame"))))
                .write(file);
        JsonNode whole = JsonMapper.builder().build().readTree(Files.readString(file));
        refuseNulls(whole, whole, file);
    }

    private static void refuseNulls(JsonNode whole, JsonNode part, Path file) throws IOException {
        if (part instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> field :
                    object.properties().stream().map(Map.Entry::copyOf).toList()) {
                if (!field.getKey().equals("failure")) {
                    object.putNull(field.getKey());
                    Files.writeString(file, whole.toString());
                    assertThatThrownBy(() -> FlightDump.read(file))
                            .as(field.getKey())
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("leave it out");
                    object.set(field.getKey(), field.getValue());
                }
            }
        }
        for (JsonNode each : part) {
            refuseNulls(whole, each, file);
        }
    }

    @Test
    void read_ofALaterVersion_saysSo() throws IOException {
        FlightDump dump = Dumps.of(0, 1).make();
        Path file = folder.resolve("rank-0.json");
        new FlightDump(FlightDump.VERSION + 1, dump.origin(), dump.loop(), dump.state(), List.of(), List.of())
                .write(file);
        assertThatThrownBy(() -> FlightDump.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("later version")
                .hasMessageContaining("known=1");
    }
}
