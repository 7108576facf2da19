package io.reactivecomm.observability.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.recorder.Dumps;
import io.reactivecomm.recorder.FlightDump;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Folders with dumps, and with what is none. */
class DumpFilesTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"0, 2000000000", "2000000000, 2147483647", "-3, 2", "2, 2", "5, 2", "0, 0", "0, -1", "0, 65537"})
    void dump_ofNoRankOfItsWorld_isLeftOut(int rank, int worldSize) throws IOException {
        FlightDump dump = Dumps.of(0, 1).make();
        dump.write(folder.resolve("rank-0.json"));
        Dumps.of(rank, worldSize).make().write(folder.resolve("rank-1.json"));
        DumpFiles files = DumpFiles.read(List.of(folder));
        assertThat(files.dumps()).containsExactly(dump);
        assertThat(files.warnings())
                .singleElement()
                .asString()
                .contains("rank-1.json", "rank=" + rank, "worldSize=" + worldSize, "most=65536", "leave it out");
    }

    @Test
    void dump_ofTheLargestWorld_isRead() throws IOException {
        FlightDump dump = Dumps.of(65_535, 65_536).make();
        dump.write(folder.resolve("rank-65535.json"));
        assertThat(Doctor.diagnose(DumpFiles.read(List.of(folder)).dumps()).absent())
                .hasSize(65_535);
    }

    /** More than one array holds, of which the disk has nothing. */
    @Test
    void largeFile_thatIsNoDump_isLeftOut() throws IOException {
        FlightDump dump = Dumps.of(0, 1).make();
        dump.write(folder.resolve("rank-0.json"));
        try (RandomAccessFile trace =
                new RandomAccessFile(folder.resolve("trace.json").toFile(), "rw")) {
            trace.setLength(3L << 30);
        }
        DumpFiles files = DumpFiles.read(List.of(folder));
        assertThat(files.dumps()).containsExactly(dump);
        assertThat(files.warnings())
                .singleElement()
                .asString()
                .contains("trace.json", "too large", "bytes=3221225472", "leave it out");
    }
}
