package io.reactivecomm.spi.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedPagesTest {

    /** As often as it takes for the loop to be compiled, in which the JVM is later to tell. */
    private static final int ROUNDS = 30_000;

    @Test
    void pagesThatAreGone_areFoundByCompiledCodeToo(@TempDir Path directory) throws IOException {
        try (Arena arena = Arena.ofConfined();
                FileChannel file = FileChannel.open(
                        directory.resolve("pages"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            MemorySegment whole = file.map(FileChannel.MapMode.READ_WRITE, 0, 4 * 4096, arena);
            for (int round = 0; round < ROUNDS; round++) {
                assertThat(MappedPages.lost(whole, 0)).isNull();
            }
            file.truncate(3 * 4096);
            for (int round = 0; round < 1_000; round++) {
                assertThat(MappedPages.lost(whole, 0)).isExactlyInstanceOf(InternalError.class);
                assertThat(MappedPages.lost(whole, 4 * 4096 - 1)).isExactlyInstanceOf(InternalError.class);
                assertThat(MappedPages.lost(whole.asSlice(0, 3 * 4096), 0)).isNull();
            }
        }
    }
}
