package io.reactivecomm.samples.programs.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RankJvmTest {

    @Test
    void flags_full_areThisJvmsWithTheVectorApi() {
        assertThat(RankJvm.FULL.flags(Stream.of("-Xmx1g", "-Da=b")))
                .containsExactly("-Xmx1g", "-Da=b", "--add-modules=jdk.incubator.vector");
        assertThat(RankJvm.FULL.flags(Stream.of("--add-modules=jdk.incubator.vector", "-Xmx1g")))
                .containsExactly("--add-modules=jdk.incubator.vector", "-Xmx1g");
    }

    @Test
    void flags_quick_useTheSimpleCompilerWithoutTheVectorApi() {
        assertThat(RankJvm.QUICK.flags(Stream.of("--add-modules=jdk.incubator.vector", "-Xmx1g")))
                .containsExactly("-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    }

    @Test
    void javaCommand_thisJvm_namesItsJavaClassPathAndProgram() {
        List<String> command = JavaCommand.of(RankJvmTest.class, List.of("a", "b"), RankJvm.FULL);
        assertThat(Files.isExecutable(Path.of(command.getFirst()))).isTrue();
        assertThat(command)
                .endsWith("-cp", System.getProperty("java.class.path"), RankJvmTest.class.getName(), "a", "b");
    }
}
