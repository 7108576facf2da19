package io.reactivecomm.observability.trace;

import io.reactivecomm.timeline.TimelineException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The page of a report: its figures as JSON, and the script that draws them. Charts are uPlot's, which is copied into the page.
 *
 * <p>Times on the page are milliseconds.
 */
final class ReportPage {

    /** Steps of a rank that are drawn: the last ones. */
    static final int MOST_STEPS = 600;

    /** Calls of a rank that the timeline shows: the last ones. */
    static final int MOST_SPANS = 1500;

    private static final int MOST_ROWS = 12;

    private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final JobReport report;
    private final ObjectNode page = JSON.createObjectNode();

    private ReportPage(JobReport report) {
        this.report = report;
    }

    static String of(JobReport report, @Nullable Path perf) {
        ReportPage page = new ReportPage(report);
        String json = JSON.writeValueAsString(page.figures(perf)).replace("<", "\\u003c");
        return text("report.html")
                .replace("@CHARTS_STYLE@", text(UPLOT + "dist/uPlot.min.css"))
                .replace("@STYLE@", text("report.css"))
                .replace("@CHARTS_LICENSE@", text(UPLOT + "LICENSE"))
                .replace("@CHARTS@", text(UPLOT + "dist/uPlot.iife.min.js"))
                .replace("@SCRIPT@", text("report.js"))
                .replace("@FIGURES@", json);
    }

    private static String text(String resource) {
        try (InputStream in = ReportPage.class.getResourceAsStream(resource)) {
            return new String(
                    Objects.requireNonNull(
                                    in,
                                    () -> "a part of the report's page is not on the class path: " + resource
                                            + "; add org.webjars.npm:uplot:1.6.30")
                            .readAllBytes(),
                    StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ObjectNode figures(@Nullable Path perf) {
        page.put("verdict", report.verdict());
        report.record.ranks().forEach(page.putArray("ranks")::add);
        clocks(page.putArray("clocks"));
        ObjectNode steps = page.putObject("steps");
        report.steps.forEach((rank, all) -> steps(all, steps.putObject(rank.toString())));
        report.ranks.forEach(rank -> rank(rank, page.withArray("late").addObject()));
        report.kinds.stream()
                .limit(MOST_ROWS)
                .forEach(kind -> kind(kind, page.withArray("kinds").addObject()));
        slowest(page.putArray("slowest"));
        links(page.putArray("links"));
        bandwidths(
                page.putObject("bandwidth"),
                report.kinds.stream()
                        .filter(kind -> kind.busGigabytesPerSecond() > 0)
                        .map(kind ->
                                new Point(kind.kind().operation(), kind.kind().bytes(), kind.busGigabytesPerSecond()))
                        .toList());
        bandwidths(page.putObject("limit"), perf == null ? List.of() : limits(perf));
        spans(page.putObject("spans"));
        return page;
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }

    private void clocks(ArrayNode rows) {
        for (RankClock clock : report.record.clocks()) {
            ObjectNode row = rows.addObject();
            row.put("rank", clock.rank());
            row.put("basis", clock.basis().toString());
            clock.boundNanos().ifPresent(bound -> row.put("within", millis(bound)));
        }
    }

    private static void steps(List<StepSplit> all, ObjectNode columns) {
        List<StepSplit> shown = all.subList(Math.max(0, all.size() - MOST_STEPS), all.size());
        ArrayNode number = columns.putArray("number");
        ArrayNode between = columns.putArray("between");
        ArrayNode compute = columns.putArray("compute");
        ArrayNode communication = columns.putArray("communication");
        ArrayNode waiting = columns.putArray("waiting");
        ArrayNode waitedFor = columns.putArray("waitedFor");
        int next = all.size() - shown.size();
        for (StepSplit step : shown) {
            number.add(next++);
            between.add(millis(step.between()));
            compute.add(millis(step.compute()));
            communication.add(millis(step.communication()));
            waiting.add(millis(step.waiting()));
            ObjectNode whom = waitedFor.addObject();
            step.waitedFor().forEach((rank, nanos) -> whom.put(rank.toString(), millis(nanos)));
        }
    }

    private static void rank(RankFigures rank, ObjectNode row) {
        row.put("rank", rank.rank());
        row.put("of", rank.of());
        row.put("lateIn", rank.lateIn());
        row.put("late", millis(rank.lateNanos()));
        row.put("waiting", millis(rank.waitingNanos()));
        row.put("excess", millis(rank.excessNanos()));
        row.put("sentGBps", rank.wireNanos() == 0 ? 0 : (double) rank.payloadBytes() / rank.wireNanos());
    }

    private static void kind(KindFigures kind, ObjectNode row) {
        row.put("operation", kind.kind().operation());
        row.put("bytes", kind.kind().bytes());
        row.put("ranks", kind.kind().groupSize());
        row.put("engine", kind.kind().backend());
        row.put("count", kind.count());
        row.put("total", millis(kind.nanos()));
        row.put("mean", millis(kind.nanos()) / kind.count());
        row.put("queued", millis(kind.queued()) / kind.count());
        row.put("matching", millis(kind.matching()) / kind.count());
        row.put("busGBps", kind.busGigabytesPerSecond());
    }

    private void slowest(ArrayNode rows) {
        report.calls.stream()
                .sorted(Comparator.comparingLong(
                                (MatchedCall call) -> slowest(call).nanos())
                        .reversed())
                .limit(MOST_ROWS)
                .forEach(call -> {
                    CallSpan slowest = slowest(call);
                    ObjectNode row = rows.addObject();
                    row.put("call", call.id().label());
                    row.put("operation", slowest.operation());
                    row.put("rank", slowest.rank());
                    row.put("at", millis(slowest.from()));
                    row.put("took", millis(slowest.nanos()));
                    row.put("matching", millis(slowest.phases().matching()));
                    call.late(report.record).ifPresent(late -> {
                        row.put("lateRank", late);
                        row.put("late", millis(call.lateness(call.last())));
                    });
                });
    }

    private static CallSpan slowest(MatchedCall call) {
        return call.spans().stream()
                .max(Comparator.comparingLong(CallSpan::nanos))
                .orElseThrow();
    }

    /** Messages of the world, whose peers are its ranks: a collective's record does not say which link was slow. */
    private void links(ArrayNode rows) {
        record Pair(int from, int to) {}
        Map<Pair, List<CallSpan>> pairs = report.record.spans().stream()
                .filter(span ->
                        span.isMessage() && span.bytes() > 0 && span.operation().equals("send"))
                .filter(span -> span.id().group().equals("0"))
                .collect(Collectors.groupingBy(span -> new Pair(span.rank(), span.peer())));
        record Link(Pair pair, long bytes, long nanos) {
            double gigabytesPerSecond() {
                return nanos == 0 ? 0 : (double) bytes / nanos;
            }
        }
        pairs.entrySet().stream()
                .map(entry -> new Link(
                        entry.getKey(),
                        entry.getValue().stream().mapToLong(CallSpan::bytes).sum(),
                        entry.getValue().stream()
                                .mapToLong(span -> span.to() - span.matched())
                                .sum()))
                .sorted(Comparator.comparingDouble(Link::gigabytesPerSecond))
                .limit(MOST_ROWS)
                .forEach(link -> rows.addObject()
                        .put("from", link.pair.from)
                        .put("to", link.pair.to)
                        .put("bytes", link.bytes)
                        .put("GBps", link.gigabytesPerSecond()));
    }

    /** A bandwidth in GB/s. */
    private record Point(String operation, long bytes, double busGigabytesPerSecond) {}

    private static List<Point> limits(Path perf) {
        try {
            JsonNode rows = JSON.readTree(Files.readString(perf));
            return rows.values().stream()
                    .map(row -> new Point(
                            row.path("op").asString(""),
                            row.path("bytes").asLong(0),
                            row.path("busbwGBps").asDouble(0)))
                    .filter(point -> point.bytes > 0 && point.busGigabytesPerSecond > 0)
                    .toList();
        } catch (IOException | JacksonException e) {
            throw new TimelineException(
                    "the file of rcomm perf --json cannot be read: file=" + perf + ", cause=" + e, e);
        }
    }

    private static void bandwidths(ObjectNode lines, List<Point> points) {
        Map<String, TreeMap<Long, Double>> operations = new TreeMap<>();
        points.forEach(point -> operations
                .computeIfAbsent(point.operation, ignored -> new TreeMap<>())
                .merge(point.bytes, point.busGigabytesPerSecond, Math::max));
        operations.forEach((operation, sizes) -> {
            ArrayNode line = lines.putArray(operation);
            sizes.forEach((bytes, bandwidth) -> line.addArray().add(bytes).add(bandwidth));
        });
    }

    /** The last calls of each rank, as rows of numbers: begin, duration, queued, matching, and the place of the label among the labels. */
    private void spans(ObjectNode node) {
        ArrayNode labels = node.putArray("labels");
        ObjectNode ofRanks = node.putObject("ranks");
        for (int rank : report.record.ranks()) {
            List<CallSpan> own = report.record.spans().stream()
                    .filter(span -> span.rank() == rank)
                    .toList();
            ArrayNode rows = ofRanks.putArray(Integer.toString(rank));
            for (CallSpan span : own.subList(Math.max(0, own.size() - MOST_SPANS), own.size())) {
                rows.addArray()
                        .add(millis(span.from()))
                        .add(millis(span.nanos()))
                        .add(millis(span.phases().queued()))
                        .add(millis(span.phases().matching()))
                        .add(span.isComposite() ? 1 : 0)
                        .add(labels.size());
                labels.add(span.operation() + " " + span.id().label());
            }
        }
    }
}
