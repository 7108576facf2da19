package io.reactivecomm.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        assertThatThrownBy(() -> Dumps.of(0, 1).make().write(file.resolve("rank-0.json"))).isInstanceOf(IOException.class);
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all).containsExactly(file);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{}", "[1]", "null", "{\"version\": 1}", "{\"version\": 1, \"origin\": null, \"loop\": {}, \"state\": {}, \"faults\": [], \"threads\": []}"})
    void read_ofWhatIsNone_namesTheFile(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("rank-0.json"), text);
        assertThatThrownBy(() -> FlightDump.read(file)).isInstanceOf(IOException.class).hasMessageContaining("rank-0.json");
    }

    @Test
    void read_ofALaterVersion_saysSo() throws IOException {
        FlightDump dump = Dumps.of(0, 1).make();
        Path file = folder.resolve("rank-0.json");
        new FlightDump(FlightDump.VERSION + 1, dump.origin(), dump.loop(), dump.state(), List.of(), List.of()).write(file);
        assertThatThrownBy(() -> FlightDump.read(file)).isInstanceOf(IOException.class).hasMessageContaining("later version").hasMessageContaining("known=1");
    }
}
