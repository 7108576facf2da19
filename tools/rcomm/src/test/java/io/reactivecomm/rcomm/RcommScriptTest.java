package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code rcomm}, in a folder where nothing is to be built and Java prints its arguments. */
@Timeout(30)
class RcommScriptTest {

    private static final String VECTORS = "--add-modules=jdk.incubator.vector";

    @TempDir
    private Path folder;

    @BeforeEach
    void makeFolder() throws Exception {
        Files.copy(Path.of("..", "..", "rcomm"), folder.resolve("rcomm"));
        Files.createDirectories(folder.resolve("tools/rcomm/target/quick/lib"));
        Files.createFile(folder.resolve("tools/rcomm/target/quick/reactive-comm-rcomm.jar"));
        script(".mvn/find-jdk", "echo '" + folder + "'");
        script("bin/java", "printf '%s\\n' \"$@\"");
    }

    private void script(String name, String body) throws Exception {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private List<String> rcomm(String arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("bash", folder.resolve("rcomm").toString()));
        command.addAll(Arrays.asList(arguments.split(" ")));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines = process.inputReader().lines().toList();
        assertThat(process.waitFor()).as(lines.toString()).isZero();
        return lines;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "train --ranks 4",
                "train --transport local",
                "run -n 2 perf --join",
                "perf --help",
                "perf all-reduce --transport tcp",
                "perf compressed --codec one-bit --ranks 2"
            })
    void exec_kernelsAreNotMeasuredHere_leavesOutTheVectorApi(String arguments) throws Exception {
        assertThat(rcomm(arguments))
                .doesNotContain(VECTORS, "jdk.incubator.vector")
                .endsWith(arguments.split(" "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "perf all-reduce --transport local",
                "perf --transport=local all-reduce --bytes 4",
                "perf all-reduce --transport=shm,local",
                "perf all-reduce --transport local,tcp --bytes 4",
                "perf all-reduce --join",
                "perf compressed --join --rate 0",
            })
    void exec_kernelsAreMeasuredHere_addsTheVectorApi(String arguments) throws Exception {
        assertThat(rcomm(arguments)).contains(VECTORS).endsWith(arguments.split(" "));
    }

    @Test
    void exec_sourceTree_namesTheOptionsOfTheArchive() throws Exception {
        assertThat(rcomm("train"))
                .containsSubsequence("@" + folder + "/tools/rcomm/src/archive/jvm.args", "-jar", "train");
    }

    @Test
    void exec_archive_buildsNothing() throws Exception {
        script("bin/find-jdk", "echo '" + folder + "'");
        Files.move(folder.resolve("rcomm"), folder.resolve("bin/rcomm"));
        Files.createFile(folder.resolve("reactive-comm-rcomm.jar"));
        assertThat(shell(Map.of("stamp", "of the environment"), "bash \"${0%/*}/bin/rcomm\" train --ranks 4"))
                .startsWith("@" + folder + "/jvm.args")
                .endsWith("-jar", folder + "/reactive-comm-rcomm.jar", "train", "--ranks", "4");
    }

    /** {@return what a shell says that runs the script at $0 so} */
    private List<String> shell(Map<String, String> environment, String command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        "bash", "-c", command, folder.resolve("rcomm").toString())
                .redirectErrorStream(true);
        builder.environment().keySet().removeAll(List.of("LANG", "LC_ALL", "LC_CTYPE"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        return process.inputReader(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void exec_localeWhoseCharactersAreAscii_isTheSameWithAllCharacters() throws Exception {
        script("bin/java", "echo \"$LC_ALL/$LC_CTYPE\"");
        assertThat(shell(Map.of("LC_ALL", "C"), "bash \"$0\" run")).containsExactly("C.UTF-8/");
        assertThat(shell(Map.of("LC_ALL", "POSIX"), "bash \"$0\" run")).containsExactly("C.UTF-8/");
        assertThat(shell(Map.of("LANG", "C"), "bash \"$0\" run")).containsExactly("/C.UTF-8");
        assertThat(shell(Map.of(), "bash \"$0\" run")).containsExactly("/C.UTF-8");
        assertThat(shell(Map.of("LANG", "xx_XX.UTF-8"), "bash \"$0\" run 2>/dev/null"))
                .containsExactly("/C.UTF-8");
        assertThat(shell(Map.of("LC_ALL", "C.UTF-8"), "bash \"$0\" run")).containsExactly("C.UTF-8/");
    }

    @Test
    void exec_closedDescriptors_areOpenForNothing() throws Exception {
        script("bin/java", "echo out && echo err >&2 && read line || echo $? >>'" + folder.resolve("end") + "'");
        assertThat(shell(Map.of(), "bash \"$0\" run 2>&- <&-")).containsExactly("out");
        assertThat(shell(Map.of(), "bash \"$0\" run >&- <&-")).containsExactly("err");
        assertThat(shell(Map.of(), "bash \"$0\" run >&- 2>&- <&-")).isEmpty();
        // Each has reached the end of its input, and failed to write nothing.
        assertThat(Files.readAllLines(folder.resolve("end"))).containsExactly("1", "1", "1");
    }

    @Test
    void exec_folderWithBlanksAndOtherLetters_isOneArgument() throws Exception {
        script("bin/java", "printf '%s\\n' \"$@\"");
        String moved =
                "mv \"${0%/*}\" \"${0%/*} ä 日\" && LC_ALL=C bash \"${0%/*} ä 日/rcomm\" run; mv \"${0%/*} ä 日\" \"${0%/*}\"";
        script(".mvn/find-jdk", "cd \"$(dirname \"$0\")/..\" && pwd");
        assertThat(shell(Map.of("LC_ALL", "C"), moved))
                .endsWith("-jar", folder + " ä 日/tools/rcomm/target/quick/reactive-comm-rcomm.jar", "run");
    }

    @Test
    void exec_argumentsWithBlanks_staySingle() throws Exception {
        Process process = new ProcessBuilder("bash", folder.resolve("rcomm").toString(), "run", "a b", "*").start();
        assertThat(process.inputReader().lines().toList()).endsWith("run", "a b", "*");
    }
}
