package io.reactivecomm.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.recorder.Dumps;
import io.reactivecomm.recorder.FlightDump;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders with dumps, and with what is none. */
class DumpFilesTest {

    @TempDir
    private Path folder;

    /** More than one array holds, of which the disk has nothing. */
    @Test
    void largeFile_thatIsNoDump_isLeftOut() throws IOException {
        FlightDump dump = Dumps.of(0, 1).make();
        dump.write(folder.resolve("rank-0.json"));
        try (RandomAccessFile trace = new RandomAccessFile(folder.resolve("trace.json").toFile(), "rw")) {
            trace.setLength(3L << 30);
        }
        DumpFiles files = DumpFiles.read(List.of(folder));
        assertThat(files.dumps()).containsExactly(dump);
        assertThat(files.warnings()).singleElement().asString().contains("trace.json", "too large", "bytes=3221225472", "leave it out");
    }
}
