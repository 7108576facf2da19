package io.reactivecomm.samples.programs.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.image.BufferedImage;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {

    @TempDir
    private Path folder;

    @Test
    void file_new_orThere_orInFoldersThatAreMissing_orWithoutExtension_isWritable() throws Exception {
        Path there = Files.createFile(folder.resolve("there.png"));

        assertThatCode(() -> {
                    OutputFile.requireWritable(there, "--chart");
                    OutputFile.requireWritable(folder.resolve("new.png"), "--chart");
                    OutputFile.requireWritable(folder.resolve("a/b/chart"), "--chart");
                })
                .doesNotThrowAnyException();
        assertThat(folder.resolve("a")).doesNotExist();
    }

    @Test
    void file_thatIsAFolder_orBelowAFile_isRefused() throws Exception {
        Path there = Files.createFile(folder.resolve("there"));

        assertThatThrownBy(() -> OutputFile.requireWritable(folder, "--chart"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cannot write to that path: chart=" + folder
                        + ", because it is a folder; choose another with --chart");
        assertThatThrownBy(() -> OutputFile.requireWritable(there.resolve("b/chart.png"), "--chart"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("because " + there + " is no folder");
    }

    /** Without fonts Java throws all kinds of things. */
    @Test
    void chart_thatCannotBeDrawn_isSaid_andNoError() {
        Path file = folder.resolve("chart.png");
        assertThat(ChartFile.write(
                        () -> {
                            throw new InternalError("Fontconfig head is null");
                        },
                        file))
                .startsWith("no chart: ")
                .contains("Fontconfig head is null");
        assertThat(file).doesNotExist();
    }

    @Test
    void chart_writtenToTheRoot_isAnErrorThatNamesTheOption() {
        BufferedImage image = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB);

        assertThatThrownBy(() -> ChartFile.write(() -> image, Path.of("/")))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("cannot write the chart: file=/; choose another with --chart");
    }
}
