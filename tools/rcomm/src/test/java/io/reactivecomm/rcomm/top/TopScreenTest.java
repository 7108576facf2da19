package io.reactivecomm.rcomm.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.observability.watch.JobSnapshot;
import io.reactivecomm.observability.watch.RankStatus;
import io.reactivecomm.observability.watch.RankStatus.State;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.recorder.WaitingCall;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A job as lines of text. */
class TopScreenTest {

    private static final Instant NOON = Instant.parse("2026-11-25T12:30:05Z");

    private final TopScreen screen = new TopScreen("127.0.0.1:4711", ZoneOffset.UTC, 40);

    private static WaitingCall call(String label, long millis, List<Integer> waitsFor) {
        return new WaitingCall(
                0,
                4,
                label,
                "all-reduce",
                "links",
                4000,
                Optional.of(Duration.ofMillis(millis)),
                waitsFor,
                waitsFor.size());
    }

    private static RankReport report(int rank, long calls, String failure, WaitingCall... oldest) {
        return new RankReport(
                rank,
                4,
                100 + rank,
                "a-machine-with-a-long-name",
                Duration.ofSeconds(1),
                calls,
                0,
                500_000_000,
                750_000_000,
                630_000_000,
                oldest.length,
                List.of(oldest),
                List.of(),
                failure);
    }

    private static RankStatus status(int rank, State state, double seconds, RankReport report) {
        return new RankStatus(rank, state, Duration.ofMillis(Math.round(seconds * 1000)), Optional.ofNullable(report));
    }

    private static JobSnapshot job(boolean isOver, RankStatus... ranks) {
        return new JobSnapshot(NOON, ranks.length, List.of(ranks), isOver);
    }

    @Test
    void lines_sayWhatEachRankDoes_andWhoIsLate() {
        JobSnapshot job = job(
                false,
                status(0, State.PUBLISHING, 0.1, report(0, 1234, "", call("layer1#2", 4100, List.of(3)))),
                status(1, State.PUBLISHING, 0.1, report(1, 12, "")),
                status(2, State.PUBLISHING, 0.1, report(2, 12, "", call("layer1#2", 4000, List.of(3)))),
                status(3, State.SILENT, 4.25, report(3, 0, "")));
        assertThat(screen.lines(job))
                .containsExactly(
                        "job at 127.0.0.1:4711, 4 ranks, 12:30:05",
                        " RANK  HOST              PID    CALLS/S      GB/S  BUS GB/S  WAITING IN FLIGHT  WAITS",
                        "    0  a-machine-w…      100      1,234     0.500     0.750     63 %         1  all-reduce layer1#2 4.1 s for rank 3",
                        "    1  a-machine-w…      101       12.0     0.500     0.750     63 %         0",
                        "    2  a-machine-w…      102       12.0     0.500     0.750     63 %         1  all-reduce layer1#2 4.0 s for rank 3",
                        "    3  a-machine-w…      103 silent for 4.3 s",
                        "ranks 0, 2 wait for rank 3, which has not made the call: all-reduce layer1#2 4.1 s");
    }

    @Test
    void lines_sayWhoIsNotThere() {
        JobSnapshot job = job(
                true,
                status(0, State.LOST, 1, report(0, 0, "")),
                status(1, State.LEFT, 2, null),
                status(2, State.ABSENT, 0, null),
                status(3, State.ASKED, 0, null),
                status(4, State.PUBLISHING, 0, report(4, 1, "rank 0 was lost")));
        List<String> lines = screen.lines(job);
        assertThat(lines.getFirst()).isEqualTo("job at 127.0.0.1:4711, 2 of 5 ranks, 12:30:05");
        assertThat(lines.get(2)).endsWith("LOST");
        assertThat(lines.get(3)).endsWith("left 2.0 s ago");
        assertThat(lines.get(4)).endsWith("has not come");
        assertThat(lines.get(5)).endsWith("…");
        assertThat(lines).endsWith("the world has failed: rank 0 was lost", "the job has ended: its store has gone");
    }

    @Test
    void rank_whoseReportMakesNoSense_isShownAsSuch() {
        JobSnapshot job =
                job(false, status(0, State.PUBLISHING, 0, null), status(1, State.PUBLISHING, 0, report(1, 12, "")));
        assertThat(screen.lines(job).get(2)).endsWith("tells what this release does not know");
    }

    @Test
    void job_withoutRanks_saysSo() {
        assertThat(screen.lines(job(false))).containsExactly("job at 127.0.0.1:4711, no rank has come yet, 12:30:05");
    }

    @Test
    void call_thatWaitsForBytes_isNamedOnceItTakesLong() {
        JobSnapshot job = job(
                false,
                status(0, State.PUBLISHING, 0, report(0, 5, "", call("fast#9", 2, List.of()))),
                status(1, State.PUBLISHING, 0, report(1, 5, "", call("slow#1", 800, List.of()))));
        assertThat(screen.lines(job).get(2)).endsWith(" 1");
        assertThat(screen.lines(job).get(3)).endsWith("1  all-reduce slow#1 0.8 s");
        assertThat(screen.lines(job)).hasSize(4);
    }

    /** Those that one has to worry about come first. */
    @Test
    void ranks_thatAreMany_areCutToThoseThatMatter() {
        List<RankStatus> ranks = new ArrayList<>();
        IntStream.range(0, 100).forEach(rank -> ranks.add(status(rank, State.PUBLISHING, 0, report(rank, 5, ""))));
        ranks.set(
                70,
                status(
                        70,
                        State.PUBLISHING,
                        0,
                        report(
                                70,
                                5,
                                "",
                                call(
                                        "layer1#2",
                                        700,
                                        IntStream.range(80, 95).boxed().toList()))));
        ranks.set(80, status(80, State.SILENT, 9, null));
        List<String> lines = new TopScreen("x", ZoneOffset.UTC, 3).lines(new JobSnapshot(NOON, 100, ranks, false));
        assertThat(lines).hasSize(7);
        assertThat(lines.get(2)).startsWith("   70").endsWith("for ranks 80, 81, 82, 83, 84, 85, 86, 87 and 7 more");
        assertThat(lines.get(3)).startsWith("   80").endsWith("silent for 9.0 s");
        assertThat(lines.get(4)).startsWith("    0");
        assertThat(lines.get(5)).isEqualTo("  … and 97 more ranks");
    }

    @Test
    void rates_thatAreNotKnownYet_areNotZero() {
        RankReport first = new RankReport(0, 1, 1, "host", Duration.ZERO, 0, 0, 0, 0, 0, 0, List.of(), List.of(), "");
        assertThat(screen.lines(job(false, status(0, State.PUBLISHING, 0, first)))
                        .get(2))
                .endsWith("…         …         …        …         0");
    }
}
