package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.timeline.Timeline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of settings: what they give, what wins over them, and what is wrong in them. */
class ConfigFileTest {

    private static final Map<String, String> PLACE = Map.of("RANK", "1", "WORLD_SIZE", "2");

    /** A value for each setting of a configuration, which is not its default. */
    private static final Map<String, String> OTHERS = Map.ofEntries(
            Map.entry("RCOMM_ALGORITHMS", "\"all-reduce=ring\""),
            Map.entry("RCOMM_BACKEND", "\"cpu:links,cuda:nccl\""),
            Map.entry("RCOMM_BITS", "\"any-order\""),
            Map.entry("RCOMM_CALL_SITES", "true"),
            Map.entry("RCOMM_CONGESTION", "\"cubic\""),
            Map.entry("RCOMM_DUMP", "\"dumps\""),
            Map.entry("RCOMM_HEARTBEAT_MILLIS", "50"),
            Map.entry("RCOMM_HOST_ID", "7"),
            Map.entry("RCOMM_INTERFACE", "\"10.1.0.0/16\""),
            Map.entry("RCOMM_LANES", "4.0"),
            Map.entry("RCOMM_MASTER_PORT", "\"4000\""),
            Map.entry("RCOMM_OBJECT_BYTES", "1e6"),
            Map.entry("RCOMM_OFF", "\"broadcast\""),
            Map.entry("RCOMM_PLAINTEXT", "true"),
            Map.entry("RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", "5"),
            Map.entry("RCOMM_SILENCE_MILLIS", "2000"),
            Map.entry("RCOMM_STORE_HOSTED", "true"),
            Map.entry("RCOMM_TIMELINE", "\"trace.json\""),
            Map.entry("RCOMM_TIMEOUT_SECONDS", "6"),
            Map.entry("RCOMM_TLS", "\"all\""),
            Map.entry("RCOMM_TOKEN", "\"geheim ünd läng\""),
            Map.entry("RCOMM_TOKEN_FILE", "false"),
            Map.entry("RCOMM_TRANSPORT", "\"tcp\""),
            Map.entry("RCOMM_WAITING", "\"park\""));

    @TempDir
    Path folder;

    private Path file(String json) {
        return file(json.getBytes(StandardCharsets.UTF_8));
    }

    private Path file(byte[] bytes) {
        try {
            return Files.write(folder.resolve("settings.json"), bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Map<String, String> placeWith(String... namesAndValues) {
        Map<String, String> environment = new HashMap<>(PLACE);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            environment.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return environment;
    }

    /** {@return settings, but for that of the log of calls, which is another module's, and is tested there} */
    static Stream<String> settingsOfConfigurations() {
        return KnownVariables.NAMES.stream()
                .filter(name -> !name.equals("RCOMM_COMMS_LOG"))
                .filter(name -> !KnownVariables.isOfEnvironmentAlone(name) && !KnownVariables.isOfProcess(name));
    }

    @Test
    void everySettingOfAConfiguration_isTried() {
        assertThat(OTHERS.keySet()).isEqualTo(settingsOfConfigurations().collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @MethodSource("settingsOfConfigurations")
    void setting_ofAFile_hasItsEffect_bothWays(String name) {
        Path file = file("{\"" + name + "\": " + OTHERS.get(name) + "}");
        CommConfig loaded = CommConfig.load(file, PLACE);
        CommConfig named = CommConfig.fromEnvironment(placeWith("RCOMM_CONFIG", file.toString()));

        assertThat(loaded).isNotEqualTo(CommConfig.fromEnvironment(PLACE));
        // Observers are made anew for each configuration.
        assertThat(loaded.observers()).hasSameSizeAs(named.observers());
        assertThat(loaded.toString().replaceAll("@\\w+", ""))
                .isEqualTo(named.toString().replaceAll("@\\w+", ""));
    }

    @ParameterizedTest
    @CsvSource({"on, true", "'', false", "off, false", "names=layer*, true"})
    void logOfCalls_whoseModuleIsNotThere_isAnErrorThatNamesIt(String value, boolean isWanted) {
        Map<String, String> environment = placeWith("RCOMM_COMMS_LOG", value);
        if (isWanted) {
            assertThatThrownBy(() -> CommConfig.fromEnvironment(environment))
                    .isInstanceOf(RendezvousException.class)
                    .hasMessage(
                            "an environment variable asks for a module that is not on the class path: RCOMM_COMMS_LOG="
                                    + value + "; add reactive-comm-timing to the class path");
        } else {
            assertThat(CommConfig.fromEnvironment(environment).observers()).isEmpty();
        }
    }

    @Test
    void addressForAnAllGather_isReadFromTheFileThatTheEnvironmentNames() {
        Path file = file("{\"RCOMM_LISTEN\": \"10.1.0.7\"}");
        Meeting meeting = Meeting.blocking(1, 2, own -> {
            throw new AssertionError("not called");
        });
        assertThat(CommConfig.fromEnvironment(placeWith("RCOMM_CONFIG", file.toString()), meeting)
                        .host())
                .isEqualTo("10.1.0.7");
        assertThatThrownBy(() -> CommConfig.load(file, PLACE)).hasMessageContaining("name the file by RCOMM_CONFIG");
    }

    @Test
    void file_givesSettings_andTheEnvironmentWins() {
        Path file = file("\uFEFF{\r\n"
                + "  \"RCOMM_LANES\": 4,\r\n"
                + "  \"RCOMM_TRANSPORT\": \"tcp\",\r\n"
                + "  \"RCOMM_TIMEOUT_SECONDS\": 5\r\n"
                + "}\r\n");
        CommConfig config = CommConfig.load(file, placeWith("RCOMM_LANES", "2"));

        assertThat(config.rank()).isEqualTo(1);
        assertThat(config.tuning().lanes()).isEqualTo(2);
        assertThat(config.transport()).isEqualTo("tcp");
        assertThat(config.timeout()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void fileOfTheEnvironment_winsOverOneThatIsLoaded() throws IOException {
        Path other = Files.writeString(folder.resolve("other.json"), "{\"RCOMM_LANES\": 3}");
        Path file = file("{\"RCOMM_LANES\": 4, \"RCOMM_TRANSPORT\": \"tcp\"}");
        CommConfig config = CommConfig.load(file, placeWith("RCOMM_CONFIG", other.toString()));

        assertThat(config.tuning().lanes()).isEqualTo(3);
        assertThat(config.transport()).isEqualTo("tcp");
    }

    @Test
    void variable_namesAFile_forEachReaderOfTheEnvironment() {
        Path file = file("""
            {"RCOMM_TIMELINE": "trace.json", "RCOMM_LANES": 4, "RCOMM_BITS": "any-order", "RCOMM_TIMEOUT_SECONDS": 5, "RCOMM_NCCL_LIBRARY": "libother.so"}
            """);
        Map<String, String> environment = placeWith("RCOMM_CONFIG", " " + file + "\n");

        assertThat(Timeline.in(CommConfig.fromEnvironment(environment))).isPresent();
        assertThat(CommConfig.of("env://", 0, 3, environment).tuning().lanes()).isEqualTo(4);
        assertThat(Tuning.fromEnvironment(environment).lanes()).isEqualTo(4);
        assertThat(Choices.fromEnvironment(environment).bits()).isEqualTo(Bits.ANY_ORDER);
        assertThat(Timeouts.fromEnvironment(environment).call()).isEqualTo(Duration.ofSeconds(5));
        assertThat(ReactiveComm.provider().discover(environment).tuning().lanes())
                .isEqualTo(4);
        assertThat(CommConfig.settings(environment))
                .containsEntry("RCOMM_NCCL_LIBRARY", "libother.so")
                .containsEntry("RANK", "1");
    }

    @Test
    void variable_empty_namesNone() {
        Map<String, String> environment = placeWith("RCOMM_CONFIG", " ");
        assertThat(CommConfig.fromEnvironment(environment)).isEqualTo(CommConfig.fromEnvironment(PLACE));
        assertThat(CommConfig.settings(environment)).isSameAs(environment);
    }

    @Test
    void relativePath_isResolvedAgainstTheWorkingDirectory() {
        Path relative = Path.of("").toAbsolutePath().relativize(file("{\"RCOMM_LANES\": 4}"));
        assertThat(CommConfig.load(relative, PLACE).tuning().lanes()).isEqualTo(4);
        assertThatThrownBy(() -> CommConfig.load(Path.of("nosuch.json"), PLACE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining(
                        "cannot be read: file=" + Path.of("").toAbsolutePath().resolve("nosuch.json"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'RCOMM_LANE': 2}| line=1, name=RCOMM_LANE; the nearest known name is RCOMM_LANES",
                "{'lanes': 2}| name=lanes; the nearest known name is RCOMM_LANES",
                "{'rcomm_timeout': 2}| the nearest known name is RCOMM_TIMEOUT_SECONDS",
                "{'': 2}| unknown setting",
                "{' RCOMM_LANES': 2}| the nearest known name is RCOMM_LANES",
                "{'RCOMM_OBJECT_BYTES': 1e18}| RCOMM_OBJECT_BYTES=1000000000000000000",
                "{'RCOMM_LANES': 2, 'RCOMM_LANES': 2}| twice: file=",
                "{'RCOMM_LANES': null}| another type: file=",
                "{'RCOMM_LANES': true}| value=true; write a text or a whole number",
                "{'RCOMM_DUMP': false}| value=false; write a text",
                "{'RCOMM_PLAINTEXT': [1]}| write true or false",
                "{'RCOMM_LANES': {'RCOMM_LANES': 2}}| another type",
                "{'RCOMM_LANES': 1.5}| not a whole number",
                "{'RCOMM_LANES': 1e999999999}| not a whole number",
                "{'RCOMM_LANES': 99999999999999999999}| RCOMM_LANES=99999999999999999999",
                "{'RCOMM_LANES': 'two'}| RCOMM_LANES=two; give a whole number; settings that the environment does not"
                        + " have are those of file=",
                "{'RCOMM_BITS': 'some'}| RCOMM_BITS=some",
                "{'RCOMM_CONFIG': 'other.json'}| environment alone: file=",
                "{'RCOMM_JAVA_OPTS': '-Xmx1g'}| environment alone: file=",
                "{'RCOMM_NCCL_LIBRARY': 'libnccl.so'}| name the file by RCOMM_CONFIG",
                "{'RANK': 0}| a launcher's variable",
                "{'MASTER_PORT': 4000}| a launcher's variable",
                "{'LOCAL_RANK': 0}| a launcher's variable",
                "{} {}| has text after its object",
                "[]| is no object",
                "'RCOMM_LANES'| is no object",
                "{'RCOMM_LANES': 2| ends before its object does",
                "{'RCOMM_LANES': 2,}| not JSON",
                "{RCOMM_LANES: 2}| not JSON",
                "# lanes| not JSON"
            })
    void wrongFile_isAnErrorThatNamesIt(String json, String expected) {
        Path file = file(json.replace('\'', '"'));
        assertThatThrownBy(() -> CommConfig.load(file, PLACE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining(expected)
                .hasMessageContaining(file.toString());
    }

    @Test
    void wrongLine_isNamed() {
        Path file = file("{\n  \"RCOMM_LANES\": 2,\n  \"RCOMM_TRANPSORT\": \"tcp\"\n}");
        assertThatThrownBy(() -> CommConfig.load(file, PLACE)).hasMessageContaining("line=3, name=RCOMM_TRANPSORT");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n", "\uFEFF"})
    void emptyFile_isAnError(String text) {
        Path file = file(text);
        assertThatThrownBy(() -> CommConfig.load(file, PLACE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("is empty: file=" + file);
    }

    @Test
    void otherThanATextFile_isAnError() {
        Path latin = file("{\"RCOMM_TOKEN\": \"grün\"}".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> CommConfig.load(latin, PLACE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("not UTF-8");
        Path wide = file("{\"RCOMM_TOKEN\": \"a\"}".getBytes(StandardCharsets.UTF_16LE));
        assertThatThrownBy(() -> CommConfig.load(wide, PLACE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("not JSON");
        assertThatThrownBy(() -> CommConfig.load(folder, PLACE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("no regular file");
        Path deep = file("[".repeat(100_000));
        assertThatThrownBy(() -> CommConfig.load(deep, PLACE)).isInstanceOf(RendezvousException.class);
        Path deepValue = file("{\"RCOMM_LANES\": " + "[".repeat(100_000));
        assertThatThrownBy(() -> CommConfig.load(deepValue, PLACE)).isInstanceOf(RendezvousException.class);
        Path longNumber = file("{\"RCOMM_LANES\": " + "9".repeat(10_000) + "}");
        assertThatThrownBy(() -> CommConfig.load(longNumber, PLACE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("not JSON");
        Path longName = file("{\"" + "R".repeat(20_000) + "\": 1}");
        assertThatThrownBy(() -> CommConfig.load(longName, PLACE))
                .isInstanceOf(RendezvousException.class)
                .satisfies(error -> assertThat(error.getMessage()).hasSizeLessThan(500));
        Path large = file(new byte[ConfigFile.MOST_BYTES + 1]);
        assertThatThrownBy(() -> CommConfig.load(large, PLACE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("too long");
        assertThatThrownBy(() -> CommConfig.settings(Map.of("RCOMM_CONFIG", "a\0b")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("no path");
    }

    @Test
    void token_isNotInErrors() {
        Path file = file("{\"RCOMM_TOKEN\": \"sesam\", \"RCOMM_LANES\": 99}");
        assertThatThrownBy(() -> CommConfig.load(file, PLACE))
                .hasMessageContaining("RCOMM_LANES=99")
                .hasMessageNotContaining("sesam");
    }

    /** Jackson quotes the text at the fault, also in its own error. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\n  \"RCOMM_TOKEN\": sesam\n}",
                "{\n  \"RCOMM_TOKEN\": \"sesam\nsesam\"}",
                "{\n  \"RCOMM_TOKEN\": \"\\sesam\"}",
                "{\n  \"RCOMM_TOKEN\": \"a\" sesam}",
                "{\n  \"RCOMM_TOKEN\": 4711.5sesam}",
                "{\n  \"RCOMM_TOKEN\": 4711.5}",
                "{\n  \"RCOMM_TOKEN\": -sesam}"
            })
    void token_isNotInErrorsOfAFileThatCannotBeRead(String text) {
        Path file = file(text);
        assertThatThrownBy(() -> CommConfig.load(file, PLACE))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("line=2")
                .hasMessageNotContainingAny("sesam", "4711")
                .hasNoCause();
    }

    @Test
    void settingsThatAreCompared_areComparedFromAFile() {
        Path file = file("{\"RCOMM_LANES\": 4, \"RCOMM_BITS\": \"any-order\", \"RCOMM_OFF\": \"broadcast\"}");
        assertThat(CommConfig.load(file, PLACE).agreed())
                .containsEntry("RCOMM_LANES", "4")
                .containsEntry("RCOMM_BITS", "any-order")
                .containsEntry("RCOMM_OFF", "broadcast");
    }

    @Test
    void classesOfVariables_areKnownOnes() {
        assertThat(KnownVariables.NAMES.stream()
                        .filter(KnownVariables::isOfProcess)
                        .collect(Collectors.toSet()))
                .contains("RCOMM_LEAKS", "RCOMM_LISTEN", "RCOMM_MPI_LIBRARY");
        assertThat(KnownVariables.NAMES.stream().filter(KnownVariables::isSwitch))
                .hasSize(5);
        assertThat(Set.copyOf(KnownVariables.NAMES)).contains(ConfigFile.VARIABLE);
    }
}
