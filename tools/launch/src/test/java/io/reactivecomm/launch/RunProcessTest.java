package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Effects of the environment of the command, a process of its own, on its ranks. */
@Timeout(60)
class RunProcessTest {

    private static final Map<String, String> UTF_8 = Map.of("LC_ALL", "C.UTF-8");

    @TempDir
    private Path folder;

    private File said() {
        return folder.resolve("said").toFile();
    }

    /** {@return what it says, by lines} */
    private List<String> run(Map<String, String> environment, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                RunProgram.class.getName()));
        command.addAll(List.of(arguments));
        return start(environment, command);
    }

    private List<String> start(Map<String, String> environment, List<String> command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
            return Files.readAllLines(said().toPath());
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void run_optionsThatOneProcessCanHave_areNotThoseOfRanks() throws Exception {
        Map<String, String> environment = Map.of("JAVA_TOOL_OPTIONS", "-Da=1 -Xlog:gc:file=gc.log -Db=2");
        assertThat(run(environment, "-n", "2", "--", "sh", "-c", "echo \"<$JAVA_TOOL_OPTIONS>\""))
                .contains("[0] <-Da=1 -Db=2>", "[1] <-Da=1 -Db=2>")
                .anyMatch(
                        line -> line.startsWith(
                                "rcomm: ranks do not inherit JVM options that only one process can have: options=[-Xlog:gc:file=gc.log]"));
    }

    @Test
    void run_arguments_areHandedOnAsTheyAre() throws Exception {
        Files.writeString(folder.resolve("file"), "expanded");
        String[] odd = {
            "", " ", "a  b", "\"q\"", "it's", "\\n", "$HOME", "${HOME}", "@file", "--", "-n", "--help", "\t", "ä ß",
            "日本語", "😀", "\uFFFD", "*"
        };
        List<String> arguments = new ArrayList<>(List.of("-n", "1", "--", "printf", "<%s>\n"));
        arguments.addAll(List.of(odd));
        assertThat(run(UTF_8, arguments.toArray(String[]::new)))
                .containsExactlyElementsOf(
                        List.of(odd).stream().map(each -> "[0] <" + each + ">").toList());
        assertThat(run(UTF_8, "-n", "1", "--", "printf", "<%s>\n", "two\nlines"))
                .containsExactly("[0] <two", "[0] lines>");
    }

    @Test
    void run_fileOfSettings_reachesRanks_andTheEnvironmentWins() throws Exception {
        Files.writeString(
                folder.resolve("settings.json"),
                "{\"RCOMM_LANES\": 4, \"RCOMM_TRANSPORT\": \"tcp\", \"RCOMM_LEAKS\": \"all\", \"RCOMM_TOKEN\": \"another\"}");
        Map<String, String> environment = Map.of("RCOMM_CONFIG", "settings.json", "RCOMM_TRANSPORT", "auto");
        String java = ProcessHandle.current().info().command().orElseThrow();
        // This JVM may have a level of its own.
        assertThat(run(
                        environment,
                        "-n",
                        "2",
                        "--",
                        "env",
                        "-u",
                        "RCOMM_LEAKS",
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PrintSettings.class.getName()))
                .contains("[0] lanes=4 transport=auto leaks=ALL", "[1] lanes=4 transport=auto leaks=ALL");
    }

    @Test
    @Tag("thorough")
    void run_folderOnThePathThatTheLocaleCannotExpress_hidesNoOther() throws Exception {
        assertThat(run(
                        Map.of("LC_ALL", "C", "PATH", "/\u00e4:" + System.getenv("PATH")),
                        "-n",
                        "1",
                        "--",
                        "echo",
                        "found"))
                .containsExactly("[0] found");
    }

    @Test
    @Tag("thorough")
    void run_argumentThatTheLocaleCannotExpress_isAnErrorAndNoQuestionMark() throws Exception {
        // A shell writes the bytes, as this JVM may not be able to.
        String java = ProcessHandle.current().info().command().orElseThrow();
        String script =
                "LC_ALL=$0 exec \"$1\" -XX:TieredStopAtLevel=1 -cp \"$2\" \"$3\" -n 1 -- echo \"$(printf \"$4\")\"";
        for (List<String> each : List.of(List.of("C", "\\303\\244"), List.of("C.UTF-8", "\\344"))) {
            List<String> command = List.of(
                    "sh",
                    "-c",
                    script,
                    each.getFirst(),
                    java,
                    System.getProperty("java.class.path"),
                    RunProgram.class.getName(),
                    each.getLast());
            assertThat(start(Map.of(), command))
                    .singleElement()
                    .asString()
                    .startsWith("a text cannot be passed to ranks in the encoding of this process: text=")
                    .contains("set LC_ALL=C.UTF-8");
        }
    }
}
