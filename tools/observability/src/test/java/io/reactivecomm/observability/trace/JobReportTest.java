package io.reactivecomm.observability.trace;

import static io.reactivecomm.observability.trace.RecordedJob.BETWEEN;
import static io.reactivecomm.observability.trace.RecordedJob.COMPUTE;
import static io.reactivecomm.observability.trace.RecordedJob.MILLI;
import static io.reactivecomm.observability.trace.RecordedJob.MOVING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.timeline.TimelineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reports of jobs that were made up, whose figures are known. */
class JobReportTest {

    private static final long BOUND = 40_000;

    @TempDir
    private Path folder;

    private JobReport report(RecordedJob job) throws IOException {
        return JobReport.of(job.write(folder));
    }

    private JsonNode figures(JobReport report, Path perf) throws IOException {
        Path page = folder.resolve("report.html");
        report.write(page, perf);
        String html = Files.readString(page);
        String opening = "<script type=\"application/json\" id=\"figures\">";
        int begin = html.indexOf(opening) + opening.length();
        return JsonMapper.shared().readTree(html.substring(begin, html.indexOf("</script>", begin)));
    }

    private static List<Double> numbers(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asDouble)
                .toList();
    }

    private static RecordedJob job(int ranks, long bound) {
        return new RecordedJob(ranks, 7, bound);
    }

    /** Thirty steps, in eighteen of which rank 2 computes 4 ms longer; in the others rank 0 does. */
    private RecordedJob withALateRank(long bound) {
        RecordedJob job = job(4, bound);
        for (int i = 0; i < 30; i++) {
            job.step(job.only(i % 5 < 3 ? 2 : 0, 4 * MILLI), new long[4]);
        }
        return job;
    }

    @Test
    void verdict_namesTheLateRank_howLate_andWhy() throws IOException {
        JobReport report = report(withALateRank(BOUND));

        assertThat(report.lateRank()).contains(2);
        assertThat(report.verdict())
                .isEqualTo(
                        "30 steps of 32.0 ms (median): 81 % computing, 9 % exposed communication,"
                                + " 9 % waiting for other ranks. Rank 2 is late in 60 % of the steps, by 4.0 ms (median)."
                                + " Its calls are assembled late, so the cause is what its program does before them, not the network.");
    }

    @Test
    void loopThatIsHeld_isToldFromLateProgram() throws IOException {
        RecordedJob job = job(3, BOUND);
        for (int i = 0; i < 10; i++) {
            job.step(new long[3], job.only(1, 6 * MILLI));
        }
        JobReport report = report(job);

        assertThat(report.lateRank()).contains(1);
        assertThat(report.verdict()).endsWith("a callback of its program holds the loop.");
    }

    /** What a page draws is in its figures, and the script has no others. */
    @Test
    void drawnSteps_areThoseOfTheRecord() throws IOException {
        JsonNode figures = figures(report(withALateRank(BOUND)), null);

        JsonNode ofRank1 = figures.path("steps").path("1");
        assertThat(numbers(ofRank1.path("number"))).hasSize(30).startsWith(0.0, 1.0, 2.0);
        assertThat(numbers(ofRank1.path("compute"))).containsOnly(COMPUTE / 1e6);
        assertThat(numbers(ofRank1.path("communication"))).containsOnly(MOVING / 1e6);
        assertThat(numbers(ofRank1.path("waiting"))).containsOnly(4.0);
        assertThat(numbers(ofRank1.path("between"))).startsWith(0.0).endsWith(BETWEEN / 1e6);
        assertThat(StreamSupport.stream(ofRank1.path("waitedFor").spliterator(), false)
                        .map(JsonNode::toString))
                .startsWith("{\"2\":4.0}", "{\"2\":4.0}", "{\"2\":4.0}", "{\"0\":4.0}", "{\"0\":4.0}");

        JsonNode ofRank2 = figures.path("steps").path("2");
        assertThat(numbers(ofRank2.path("compute"))).startsWith(24.0, 24.0, 24.0, 20.0, 20.0);
        assertThat(numbers(ofRank2.path("waiting"))).startsWith(0.0, 0.0, 0.0, 4.0, 4.0);
    }

    @Test
    void drawnTables_areThoseOfTheRecord() throws IOException {
        JsonNode figures = figures(report(withALateRank(BOUND)), null);

        JsonNode late = figures.path("late").path(2);
        assertThat(late.path("lateIn").asInt()).isEqualTo(18);
        assertThat(late.path("of").asInt()).isEqualTo(30);
        assertThat(late.path("late").asDouble()).isEqualTo(4.0);
        assertThat(late.path("waiting").asDouble()).isEqualTo(48.0);
        assertThat(figures.path("late").path(1).path("excess").asDouble()).isEqualTo(120.0);
        assertThat(late.path("sentGBps").asDouble()).isEqualTo(2.0);

        JsonNode kind = figures.path("kinds").path(0);
        assertThat(kind.path("count").asInt()).isEqualTo(120);
        assertThat(kind.path("mean").asDouble()).isEqualTo(6.0);
        assertThat(kind.path("matching").asDouble()).isEqualTo(3.0);
        assertThat(kind.path("busGBps").asDouble()).isEqualTo(4_000_000 * 1.5 / MOVING);

        JsonNode slowest = figures.path("slowest").path(0);
        assertThat(slowest.path("took").asDouble()).isEqualTo(7.0);
        assertThat(slowest.path("lateRank").asInt()).isEqualTo(2);
        JsonNode spans = figures.path("spans");
        assertThat(spans.path("ranks").path("3")).hasSize(60);
        assertThat(figures.path("clocks").path(3).path("within").asDouble()).isEqualTo(BOUND / 1e6);
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "2, 2", "3, 2", "4, 2", "5, 2", "6, 3", "7, 3", "8, 4", "9, 4", "10, 8"})
    void noise_namesNobody(long seed, int ranks) throws IOException {
        JobReport report = report(job(ranks, BOUND).steps(45, seed, 8 * MILLI));

        assertThat(report.lateRank()).isEmpty();
        assertThat(report.verdict())
                .contains("No rank is late: none is last in more than half of the steps, more often than by chance");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void straggler_isNamed_whateverTheNoise(long seed) throws IOException {
        RecordedJob job = new RecordedJob(4, seed, BOUND);
        for (int i = 0; i < 30; i++) {
            job.steps(1, seed * 100 + i, 2 * MILLI).step(job.only(3, 5 * MILLI), new long[4]);
            job.step(job.only(3, 5 * MILLI), new long[4]);
        }
        assertThat(report(job).lateRank()).contains(3);
    }

    @ParameterizedTest
    @CsvSource({"1999999, true", "2000001, false"})
    void difference_belowTheBoundOfTheClocks_namesNobody(long bound, boolean isNamed) throws IOException {
        RecordedJob job = job(2, bound);
        for (int i = 0; i < 12; i++) {
            job.step(job.only(1, 2 * MILLI), new long[2]);
        }
        JobReport report = report(job);

        assertThat(report.lateRank().isPresent()).isEqualTo(isNamed);
        assertThat(figures(report, null)
                        .path("steps")
                        .path("0")
                        .path("waitedFor")
                        .path(0)
                        .toString())
                .isEqualTo(isNamed ? "{\"1\":2.0}" : "{\"-1\":2.0}");
    }

    @Test
    void clocks_thatWereNeverCompared_areSaid() throws IOException {
        assertThat(report(withALateRank(0)).verdict())
                .contains("No rank can be named: the clocks of some ranks were never compared.");
    }

    @Test
    void recordWithoutSteps_isReportedByItsCalls() throws IOException {
        RecordedJob job = job(2, BOUND);
        for (int i = 0; i < 12; i++) {
            long begin = i * 20 * MILLI;
            job.call("loss#" + i, new long[] {begin, begin + 2 * MILLI}, new long[2]);
        }
        JobReport report = report(job);

        assertThat(report.verdict())
                .startsWith("24 calls without steps: 25 % of their time is waiting for other ranks."
                        + " Rank 1 is late in 100 % of the calls, by 2.0 ms (median).");
        assertThat(figures(report, null).path("steps")).isEmpty();
    }

    @Test
    void limit_isWhatPerfMeasured() throws IOException {
        Path perf = Files.writeString(
                folder.resolve("perf.json"),
                "[{\"op\":\"all-reduce\",\"bytes\":1024,\"busbwGBps\":0.5},{\"op\":\"all-reduce\",\"bytes\":4,\"busbwGBps\":0.0}]");
        JobReport report = report(withALateRank(BOUND));

        assertThat(figures(report, perf).path("limit").toString()).isEqualTo("{\"all-reduce\":[[1024,0.5]]}");
        assertThat(figures(report, perf).path("bandwidth").toString()).isEqualTo("{\"all-reduce\":[[4000000,2.0]]}");
        Path other = Files.writeString(folder.resolve("other.json"), "nothing");
        assertThatThrownBy(() -> report.write(folder.resolve("r.html"), other))
                .isInstanceOf(TimelineException.class)
                .hasMessageContaining("other.json");
    }

    @Test
    void page_needsNoNetwork_andNoLabelEndsItsScript() throws IOException {
        RecordedJob job = job(2, BOUND);
        job.call("</script><b>#0", new long[] {0, MILLI}, new long[2]);
        JobReport report = report(job);
        JsonNode figures = figures(report, null);
        String html = Files.readString(folder.resolve("report.html"));

        assertThat(figures.path("slowest").path(0).path("call").asString()).isEqualTo("</script><b>#0");
        assertThat(html).doesNotContain(" src=", "<link", "@import", "url(", "@FIGURES@", "@CHARTS@");
        assertThat(html).contains("uPlot", "The MIT License", "Leon Sorokin");
    }

    @Test
    void partsOfAFolder_areFound_andTheMergedTraceIsNone() throws IOException {
        withALateRank(BOUND).write(folder);
        Files.writeString(folder.resolve("trace.json"), "{}");

        assertThat(JobReport.partsIn(folder))
                .extracting(file -> file.getFileName().toString())
                .containsExactly("trace.0.json", "trace.1.json", "trace.2.json", "trace.3.json");
        assertThatThrownBy(() -> JobReport.partsIn(folder.resolve("none"))).isInstanceOf(TimelineException.class);
    }

    @Test
    void slowestPart_ofAKind_isBounded() throws IOException {
        RecordedJob job = job(2, BOUND);
        for (int i = 0; i < JobRecord.MOST_OF_A_KIND + 10; i++) {
            job.call("loss#" + i, new long[] {i * 10 * MILLI, i * 10 * MILLI}, new long[2]);
        }
        Map<Integer, Long> counts = JobRecord.read(job.write(folder)).spans().stream()
                .collect(
                        java.util.stream.Collectors.groupingBy(CallSpan::rank, java.util.stream.Collectors.counting()));
        assertThat(counts).containsOnly(Map.entry(0, 4096L), Map.entry(1, 4096L));
    }
}
