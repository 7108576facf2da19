package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountsFileTest {

    @TempDir
    private Path folder;

    private Path file(String text) throws Exception {
        return Files.writeString(folder.resolve("counts.txt"), text);
    }

    @Test
    void read_numbers_keepsTheirOrder() throws Exception {
        assertThat(CountsFile.read(file("64\n\n  9408 \n0"))).containsExactly(64L, 9408L, 0L);
    }

    @Test
    void read_somethingElse_namesTheLine() throws Exception {
        Path file = file("64\nmany\n");
        assertThatThrownBy(() -> CountsFile.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("line=2, text=many");
    }

    @Test
    void read_negative_isRefused() throws Exception {
        Path file = file("-1\n");
        assertThatThrownBy(() -> CountsFile.read(file)).hasMessageContaining("line=1, text=-1");
    }

    @Test
    void read_noNumbers_isRefused() throws Exception {
        Path file = file("\n");
        assertThatThrownBy(() -> CountsFile.read(file)).hasMessageContaining("no element counts");
    }

    @Test
    void read_noFile_saysSo() {
        assertThatThrownBy(() -> CountsFile.read(folder.resolve("none"))).hasMessageContaining("no such file");
    }
}
