package io.reactivecomm.rcomm.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ScratchFolderTest {

    @Test
    void close_folderWithFiles_removesAll() throws Exception {
        Path path;
        try (ScratchFolder folder = ScratchFolder.make()) {
            path = folder.path();
            Files.writeString(Files.createDirectories(path.resolve("a/b")).resolve("c.txt"), "c");
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void fresh_nameInUse_isAnother() throws Exception {
        try (ScratchFolder folder = ScratchFolder.make()) {
            Path first = folder.fresh("rows.json");
            assertThat(first).doesNotExist();
            Files.writeString(first, "[]");
            assertThat(folder.fresh("rows.json")).doesNotExist().isNotEqualTo(first);
        }
    }
}
