package io.reactivecomm.rcomm.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.observability.trace.MergedTimeline;
import io.reactivecomm.observability.trace.RankClock;
import io.reactivecomm.observability.trace.RankClock.Basis;
import java.io.BufferedReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The timelines of two processes, of which one is killed. */
@Timeout(120)
class KilledRankTimelineTest {

    @TempDir
    private Path folder;

    private Process start(int rank) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                EndlessRank.class.getName(),
                folder.toString(),
                Integer.toString(rank)));
        return new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
    }

    private static void awaitLine(BufferedReader output, String beginning) throws Exception {
        String line = output.readLine();
        while (line != null && !line.startsWith(beginning)) {
            line = output.readLine();
        }
        assertThat(line).as("a line that begins with %s", beginning).isNotNull();
    }

    @Test
    void partOfAKilledRank_isPartOfTheTrace_onTheClockOfTheOther() throws Exception {
        Process zero = start(0);
        Process one = start(1);
        try (BufferedReader ofZero = zero.inputReader();
                BufferedReader ofOne = one.inputReader()) {
            awaitLine(ofOne, "running");
            one.destroyForcibly();
            awaitLine(ofZero, "lost: ");
            assertThat(zero.waitFor()).isZero();
            assertThat(one.waitFor()).isNotZero();
        } finally {
            zero.destroyForcibly();
            one.destroyForcibly();
        }
        Path trace = folder.resolve("trace.json");
        MergedTimeline merged =
                MergedTimeline.of(List.of(folder.resolve("trace.0.json"), folder.resolve("trace.1.json")));
        merged.write(trace);
        assertThat(merged.clocks()).extracting(RankClock::basis).containsExactly(Basis.REFERENCE, Basis.HEARTBEATS);
        // Processes of one machine have one clock, as far as this one's system goes.
        RankClock clock = merged.clocks().getLast();
        assertThat(Math.abs(clock.offsetNanos()))
                .isLessThanOrEqualTo(clock.boundNanos().orElseThrow());
        JsonNode written = JsonMapper.shared().readTree(Files.readString(trace)).get("traceEvents");
        List<JsonNode> events =
                StreamSupport.stream(written.spliterator(), false).toList();
        assertThat(events.stream()
                        .filter(event -> isOf(event, 1, "E", "all-reduce"))
                        .count())
                .isGreaterThan(9);
        assertThat(events.stream().filter(event -> isOf(event, 0, "i", "rank 1 is lost")))
                .hasSize(1);
        assertThat(events.stream().filter(event -> isOf(event, 0, "i", "left the world")))
                .hasSize(1);
        assertThat(events.stream().filter(event -> isOf(event, 1, "i", "left the world")))
                .isEmpty();
        for (int rank = 0; rank < 2; rank++) {
            int of = rank;
            assertThat(events.stream()
                            .filter(event -> isOf(event, of, "B", "all-reduce"))
                            .count())
                    .isEqualTo(events.stream()
                            .filter(event -> isOf(event, of, "E", "all-reduce"))
                            .count());
        }
    }

    private static boolean isOf(JsonNode event, int rank, String kind, String name) {
        return event.get("pid").asInt() == 1 + rank
                && event.get("ph").asString().equals(kind)
                && event.get("name").asString().equals(name);
    }
}
