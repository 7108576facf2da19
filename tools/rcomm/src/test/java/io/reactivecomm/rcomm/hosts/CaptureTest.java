package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.launch.JobOutput;
import io.reactivecomm.rcomm.latency.Rate;
import io.reactivecomm.spi.RankJvmOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The packets of a whole job between two hosts, and what somebody who captures them can read. */
@Tag("thorough")
@Timeout(300)
class CaptureTest {

    @BeforeEach
    void requireNamespaces() {
        String refusal = Refusal.ofThisMachine();
        assumeTrue(refusal.isEmpty(), refusal);
    }

    /** {@return what the job says, run with these variables} */
    private static List<String> run(String... variables) {
        List<String> command = new ArrayList<>(List.of("env"));
        command.addAll(List.of(variables));
        command.addAll(
                List.of(ProcessHandle.current().info().command().orElseThrow(), "--enable-native-access=ALL-UNNAMED"));
        command.addAll(RankJvmOptions.inherited().stream()
                .filter(flag -> flag.startsWith("-XX:"))
                .toList());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), CapturedRank.class.getName()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = new HostsRun(
                        new HostsOptions(new Placement(2, 1, false), Rate.UNLIMITED, Duration.ZERO, false, command),
                        new PrintWriter(new StringWriter()),
                        new JobOutput(out, err, rank -> "", Set.of()))
                .run();
        List<String> said = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(code).as(said + err.toString(StandardCharsets.UTF_8)).isZero();
        assertThat(said).filteredOn("ended with the reason"::equals).hasSize(2);
        assertThat(said)
                .filteredOn(line -> line.startsWith("packets "))
                .singleElement()
                .satisfies(line -> assertThat(Long.parseLong(line.split(" ")[3]))
                        .as("bytes captured")
                        .isGreaterThan(2 * CapturedRank.TENSOR_BYTES));
        return said.stream().filter(line -> line.startsWith("seen ")).toList();
    }

    @Test
    void job_betweenHosts_showsItsGreetingsAlone() {
        assertThat(run()).containsExactly("seen [greeting]");
    }

    /** The same search finds all of it, but for the token, where it is there. */
    @Test
    void job_inPlaintext_showsAllButTheToken() {
        assertThat(run("RCOMM_PLAINTEXT=1")).containsExactly("seen [greeting, tensor, name, object, error]");
    }
}
