package io.reactivecomm.nccl.doubles;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.NeedsGcc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The sources of doubles are found beside the classes, and what is built of them is found again. */
@ExtendWith(NeedsGcc.class)
class DoubleSourcesTest {

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @ValueSource(strings = {"cuda", "nccl"})
    void sources_areTheSame_inAJarAndInAFolder(String name) throws IOException {
        SortedMap<String, byte[]> ofFolder = DoubleSources.texts(DoubleSources.home(), name);
        SortedMap<String, byte[]> ofJar = DoubleSources.texts(jar(DoubleSources.home()), name);

        assertThat(ofFolder).hasSizeGreaterThan(10).containsKey("stream.c");
        assertThat(ofJar.keySet()).isEqualTo(ofFolder.keySet());
        ofFolder.forEach((file, text) -> assertThat(ofJar.get(file)).as(file).isEqualTo(text));
    }

    private Path jar(Path folder) throws IOException {
        Path jar = temporary.resolve("double.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(folder.relativize(each).toString()));
                Files.copy(each, out);
            }
        }
        return jar;
    }

    @Test
    void anotherWay_isAnotherFolder() throws IOException {
        assertThat(DoubleSources.of("cuda", "-O1").folder())
                .isEqualTo(DoubleSources.of("cuda", "-O1").folder());
        assertThat(DoubleSources.of("cuda", "-O0").folder())
                .isNotEqualTo(DoubleSources.of("cuda", "-O1").folder());
    }

    @Test
    void driver_isBuiltOnce_byItsOwnName() {
        assertThat(CudaDoubleLibrary.built())
                .isRegularFile()
                .hasFileName("libcuda.so.1")
                .isEqualTo(CudaDoubleLibrary.built());
    }

    @ParameterizedTest
    @EnumSource(NcclDoubleDialect.class)
    void library_isBuiltForEachDialect_andCopied(NcclDoubleDialect dialect) {
        Path shared = NcclDoubleLibrary.shared(dialect);
        List<Path> copies = List.of(NcclDoubleLibrary.copy(dialect), NcclDoubleLibrary.copy(dialect));

        assertThat(shared).isRegularFile().hasFileName(dialect.file());
        assertThat(copies)
                .doesNotContain(shared)
                .doesNotHaveDuplicates()
                .allSatisfy(copy -> assertThat(copy).hasSameBinaryContentAs(shared));
    }
}
