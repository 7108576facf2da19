package io.reactivecomm.rcomm.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class PlanCommandTest {

    private static final double A_LITTLE = 1e-6;

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();

    private JsonNode plan(String arguments) throws Exception {
        Path json = folder.resolve("plan.json");
        CommandLine command = PlanCommand.commandLine();
        command.setOut(new PrintWriter(out));
        assertThat(command.execute((arguments + " --json " + json).split(" "))).isZero();
        return JsonMapper.shared().readTree(Files.readString(json));
    }

    private JsonNode row(String arguments, String algorithm) throws Exception {
        for (JsonNode row : plan(arguments)) {
            if (row.get("algorithm").asString().equals(algorithm)) {
                return row;
            }
        }
        throw new AssertionError("no row of " + algorithm + " in " + out);
    }

    /** 8 Gbit/s are 1,000 bytes a microsecond. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "all-reduce --ranks 4 --bytes 4000 | rank-order-direct | 2 | 6000 | 26",
                "all-reduce --ranks 4 --bytes 4000 | staged-gather-fold | 1 | 12000 | 22",
                "all-reduce --ranks 4 --bytes 4000 | ring | 6 | 6000 | 66",
                "all-reduce --ranks 4 --bytes 4000 | recursive-doubling | 2 | 8000 | 28",
                "broadcast --ranks 8 --bytes 4000 | binomial | 3 | 12000 | 42",
                "broadcast --ranks 8 --bytes 4000000 --piece-bytes 1000 | chain | 7 | 4000000 | 4076",
                "broadcast --ranks 8 --bytes 400 --piece-bytes 1000 | chain | 7 | 400 | 72.8",
                "all-gather --ranks 4 --bytes 4000 | ring | 3 | 3000 | 33",
                "all-to-all --ranks 4 --bytes 4000 | bruck | 2 | 4000 | 24",
                "all-to-all --ranks 4 --bytes 4000 --message-us 2 | direct | 1 | 3000 | 19",
                "scatter --ranks 4 --bytes 4000 | direct | 1 | 3000 | 13",
                "barrier --ranks 5 | dissemination | 3 | 0 | 30"
            })
    void plan_ofACall_followsTheModel(String call, String algorithm, int steps, long sent, double micros)
            throws Exception {
        JsonNode row = row(call + " --latency-us 10 --bandwidth-gbps 8", algorithm);

        assertThat(row.get("steps").asInt()).isEqualTo(steps);
        assertThat(row.get("sentBytes").asLong()).isEqualTo(sent);
        assertThat(row.get("predictedMicros").asDouble()).isCloseTo(micros, within(A_LITTLE));
    }

    /** Between hosts 8 Gbit/s, or 1,000 bytes a microsecond, and 10 us a step; within them 10,000 bytes, and 1 us. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // A host's ranks send what two ranks of the other host own, and what these have of theirs: 4 parts of
                // 4, and as many results.
                "--ranks 4 --hosts 2 | rank-order-direct | 2 | 2 | 160000 | 20 + 160 + 4",
                // Two operands of each chunk cross, and each result once: 3/4 of what went directly; within a host an
                // operand, a result, and one that has crossed.
                "--ranks 4 --hosts 2 | hierarchical-direct | 3 | 2 | 120000 | 20 + 1 + 120 + 6",
                // A piece of either share, of 32 KiB, before the second host has anything to do.
                "--ranks 4 --hosts 2 | hierarchical-chain | 4 | 2 | 80000 | 20 + 2 + 80 + 8 + 65.536",
                "--ranks 4 --hosts 2 | hierarchical-ring | 4 | 2 | 80000 | 20 + 2 + 80 + 8",
                "--ranks 4 --hosts 1 | rank-order-direct | 2 | 0 | 0 | 2 + 12"
            })
    void plan_onHostsOfSeveralRanks_addsUpWhatCrosses(
            String hosts, String algorithm, int steps, int hostSteps, long hostBytes, String micros) throws Exception {
        JsonNode row = row(
                "all-reduce " + hosts
                        + " --bytes 80000 --latency-us 10 --bandwidth-gbps 8 --host-latency-us 1 --host-bandwidth-gbps 80",
                algorithm);

        assertThat(row.get("steps").asInt()).isEqualTo(steps);
        assertThat(row.get("hostSteps").asInt()).isEqualTo(hostSteps);
        assertThat(row.get("hostBytes").asLong()).isEqualTo(hostBytes);
        double expected = Arrays.stream(micros.split(" \\+ "))
                .mapToDouble(Double::parseDouble)
                .sum();
        assertThat(row.get("predictedMicros").asDouble()).as("%s", row).isCloseTo(expected, within(A_LITTLE));
    }

    /** What fills a chain: pieces of 32 KiB to 256 KiB in each stream, of elements where nothing is reduced, else to 128 KiB of accumulators. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "broadcast --ranks 8 --hosts 4 --dtype bfloat16 --bytes 6000000 | 30 + 1 + 6000 + 600 + 2 * 100",
                "all-reduce --ranks 8 --hosts 4 --bytes 400000000 | 60 + 2 + 800000 + 40000 + 4 * 2 * 131.072"
            })
    void plan_ofAChainOfHosts_isFilledByItsPieces(String call, String micros) throws Exception {
        JsonNode row = row(
                call + " --latency-us 10 --bandwidth-gbps 8 --host-latency-us 1 --host-bandwidth-gbps 80",
                "hierarchical-chain");

        double expected = Arrays.stream(micros.split(" \\+ "))
                .mapToDouble(term -> Arrays.stream(term.split(" \\* "))
                        .mapToDouble(Double::parseDouble)
                        .reduce(1, (one, other) -> one * other))
                .sum();
        assertThat(row.get("predictedMicros").asDouble()).as("%s", row).isCloseTo(expected, within(A_LITTLE));
    }

    @Test
    void plan_ofHalfPrecision_countsPartialResultsInFull() throws Exception {
        // Of the three transfers of the first half, one carries elements of two bytes and two carry partial results of
        // four.
        assertThat(row("all-reduce --ranks 4 --bytes 8000 --dtype bfloat16", "ring")
                        .get("sentBytes")
                        .asLong())
                .isEqualTo(2000 + 2 * 4000 + 3 * 2000);
    }

    @Test
    void plan_marksWhatTheTableChooses_andWhatReassociates() throws Exception {
        assertThat(row("all-reduce --ranks 4 --bytes 4096", "gather-fold")
                        .get("chosen")
                        .asBoolean())
                .isTrue();
        assertThat(row("all-reduce --ranks 4 --bytes 1048576", "rank-order-direct")
                        .get("chosen")
                        .asBoolean())
                .isTrue();
        assertThat(row("all-reduce --ranks 4 --bytes 1048576", "ring")
                        .get("rankOrder")
                        .asBoolean())
                .isFalse();
        assertThat(row("all-reduce --ranks 4 --bytes 1048576 --dtype int32", "ring")
                        .get("rankOrder")
                        .asBoolean())
                .isTrue();
        assertThat(row("all-reduce --ranks 4 --bytes 1048576 --algorithms all-reduce:reassociate=ring", "ring")
                        .get("chosen")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void plan_marksWhatTheTableChoosesOnSoManyMachines() throws Exception {
        assertThat(row("reduce --ranks 4 --bytes 4194304", "rank-order-chain")
                        .get("chosen")
                        .asBoolean())
                .isTrue();
        assertThat(row("reduce --ranks 4 --bytes 4194304 --hosts 1", "rank-order-direct")
                        .get("chosen")
                        .asBoolean())
                .isTrue();
        String few = " --bytes 4 --algorithms reduce:hosts<=4=rank-order-direct";
        assertThat(row("reduce --ranks 4" + few, "rank-order-direct")
                        .get("chosen")
                        .asBoolean())
                .isTrue();
        assertThat(row("reduce --ranks 5" + few, "rank-order-direct")
                        .get("chosen")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void plan_ofOneAlgorithm_showsItAlone() throws Exception {
        assertThat(plan("reduce --ranks 9 --bytes 10,2000 --algorithm binomial"))
                .hasSize(2);
        assertThat(out.toString().lines().filter(line -> line.contains("binomial")))
                .hasSize(2);
        assertThat(out.toString())
                .startsWith(
                        "# reduce on 9 ranks of 9 hosts, float32; between hosts a step 20.0 us, 10.00 Gbit/s (1.250 GB/s), within one 2.00 us");
    }

    @ParameterizedTest
    @MethodSource("operations")
    void plan_ofManyRanks_hasOneChosenRowForEachSize(String op) throws Exception {
        requireOneChosenRowForEachSize(op, 1000);
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("operations")
    void plan_ofFourThousandRanks_hasOneChosenRowForEachSize(String op) throws Exception {
        requireOneChosenRowForEachSize(op, 4096);
    }

    private static Stream<String> operations() {
        return Stream.of(
                "all-reduce",
                "inference-all-reduce",
                "reduce",
                "broadcast",
                "all-gather",
                "reduce-scatter",
                "all-to-all",
                "gather",
                "scatter",
                "barrier",
                "monitored-barrier");
    }

    private void requireOneChosenRowForEachSize(String op, int ranks) throws Exception {
        int chosen = 0;
        for (JsonNode row : plan(op + " --ranks " + ranks + " --bytes 4,1048576,1073741824")) {
            chosen += row.get("chosen").asBoolean() ? 1 : 0;
            assertThat(row.get("predictedMicros").asDouble()).isPositive();
        }
        assertThat(chosen).isEqualTo(3);
    }
}
