package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.testkit.StubCall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows and raw data next to DeepSpeed's formulas, which a Python script applies to the same calls. */
class DeepSpeedFormulasTest {

    private static final long SEED = 20_261_128;
    private static final int RANKS = 4;
    private static final int EACH = 100;

    /** The function there, and the operation here. */
    private static final Map<String, String> OPERATIONS = Map.of(
            "all_reduce", "all-reduce",
            "all_gather_into_tensor", "all-gather",
            "reduce_scatter_tensor", "reduce-scatter",
            "all_to_all_single", "all-to-all",
            "broadcast", "broadcast",
            "reduce", "reduce");

    @TempDir
    private Path folder;

    private final CommsLogger logger = CommsLogger.of(CommsLoggerOptions.DEFAULT);

    /** {@return the size of a call here, which of an all-gather is that of the whole result} */
    private static long bytesHere(String function, long bytes) {
        return function.equals("all_gather_into_tensor") ? bytes * RANKS : bytes;
    }

    /** {@return what algbw there is multiplied with} All-reduces count twice there, and a reduce-scatter's whole input once for each rank. */
    private static int algorithmFactor(String function) {
        return switch (function) {
            case "all_reduce" -> 2;
            case "reduce_scatter_tensor" -> RANKS;
            default -> 1;
        };
    }

    private static int busFactor(String function) {
        return function.equals("reduce_scatter_tensor") ? RANKS : 1;
    }

    private List<String> calls() {
        Random random = new Random(SEED);
        List<String> lines = new ArrayList<>();
        OPERATIONS.forEach((function, operation) -> {
            for (long bytes : new long[] {4096, 1 << 20}) {
                for (int i = 0; i < EACH; i++) {
                    long nanos = 10_000 + random.nextInt(90_000);
                    lines.add(function + " " + bytes + " " + RANKS + " " + nanos);
                    logger.ended(StubCall.of(operation, bytesHere(function, bytes), RANKS), null, nanos);
                }
            }
        });
        return lines;
    }

    private List<String> byTheScript(List<String> calls) throws IOException, InterruptedException {
        Path input = Files.write(folder.resolve("calls"), calls);
        Path output = folder.resolve("rows");
        Path script = Path.of("src", "test", "python", "deepspeed_formulas.py").toAbsolutePath();
        Process process;
        try {
            process = new ProcessBuilder("python3", script.toString())
                    .redirectInput(input.toFile())
                    .redirectOutput(output.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            assumeTrue(false, "python3 is not installed");
            throw e;
        }
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
        return Files.readAllLines(output, StandardCharsets.UTF_8);
    }

    @Test
    void counts_bytes_andBandwidths_areDeepSpeeds() throws IOException, InterruptedException {
        List<String> rows = byTheScript(calls());
        assertThat(rows).hasSize(2 * OPERATIONS.size());
        for (String line : rows) {
            String[] there = line.split(" ");
            String function = there[0];
            long bytes = bytesHere(function, Long.parseLong(there[1]));
            String operation = OPERATIONS.get(function);
            CommsSummary.Row here = logger.summary().rows().stream()
                    .filter(row -> row.kind().operation().equals(operation)
                            && row.kind().byteSize() == bytes)
                    .findFirst()
                    .orElseThrow();
            assertThat(here.count())
                    .as(line)
                    .isEqualTo(Long.parseLong(there[2]))
                    .isEqualTo(EACH);
            // A histogram's borders are known to a sixteenth, which is a hundredth of the mean of so many.
            assertThat(here.latency().trimmedMeanNanos())
                    .as(line)
                    .isCloseTo(
                            Double.parseDouble(there[3]),
                            within(0.01 * here.latency().trimmedMeanNanos()));
            double algorithm = Double.parseDouble(there[4]) / algorithmFactor(function);
            double bus = Double.parseDouble(there[5]) / busFactor(function);
            assertThat(here.meanAlgorithmBandwidth()).as(line).isCloseTo(algorithm, within(0.01 * algorithm));
            assertThat(here.meanBusBandwidth()).as(line).isCloseTo(bus, within(0.01 * bus));
            List<Long> raw = logger.rawData().get(operation).get(bytes);
            assertThat(raw).as(line).hasSize(EACH);
            assertThat(raw.stream().mapToLong(Long::longValue).sum())
                    .as(line)
                    .isEqualTo(here.latency().totalNanos());
        }
    }
}
