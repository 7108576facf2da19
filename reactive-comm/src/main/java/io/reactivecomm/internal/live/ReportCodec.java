package io.reactivecomm.internal.live;

import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.base.PrintableText;
import io.reactivecomm.live.RankReport;
import io.reactivecomm.live.WaitingCall;
import io.reactivecomm.spi.JobBoard;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A {@link RankReport} as it stands on a job's board: a short JSON object. Texts and lists are cut, so that it always fits.
 *
 * <p><b>Errors.</b> {@link RendezvousException} for what is no report; what steers a terminal is taken out of texts.
 */
public final class ReportCodec {

    /** Calls that one report tells of. */
    public static final int MOST_CALLS = 4;

    private static final int MOST_RANKS = 16;
    private static final int MOST_LETTERS = 64;
    private static final int MOST_LETTERS_OF_FAILURE = 240;
    private static final int DEEPEST = 4;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .build())
                    .build())
            .build();

    private ReportCodec() {}

    /** {@return a report for the board} */
    public static byte[] encode(RankReport report) {
        int calls = MOST_CALLS;
        byte[] record = encode(report, calls);
        while (record.length > JobBoard.MAX_RECORD_BYTES && calls > 0) {
            record = encode(report, --calls);
        }
        return record;
    }

    private static byte[] encode(RankReport report, int calls) {
        ObjectNode node = MAPPER.createObjectNode();
        node.put("rank", report.rank());
        node.put("size", report.worldSize());
        node.put("pid", report.pid());
        node.put("host", cut(report.host(), MOST_LETTERS));
        node.put("over", report.over().toNanos());
        node.put("calls", report.calls());
        node.put("failed", report.failed());
        node.put("bytes", report.bytes());
        node.put("bus", report.busBytes());
        node.put("waiting", report.waitingNanos());
        node.put("inFlight", report.inFlight());
        ArrayNode oldest = node.putArray("oldest");
        report.oldest().stream().limit(calls).forEach(call -> put(oldest.addObject(), call));
        put(node.putArray("lost"), report.lost());
        node.put("failure", cut(report.failure(), MOST_LETTERS_OF_FAILURE));
        return MAPPER.writeValueAsString(node).getBytes(StandardCharsets.UTF_8);
    }

    private static void put(ObjectNode node, WaitingCall call) {
        node.put("group", call.group());
        node.put("size", call.groupSize());
        node.put("label", cut(call.label(), MOST_LETTERS));
        node.put("op", cut(call.operation(), MOST_LETTERS));
        node.put("by", cut(call.backend(), MOST_LETTERS));
        node.put("bytes", call.byteSize());
        call.since().ifPresent(since -> node.put("since", since.toNanos()));
        node.put("late", call.lateCount());
        put(node.putArray("for"), call.waitsFor());
    }

    private static void put(ArrayNode node, List<Integer> ranks) {
        ranks.stream().limit(MOST_RANKS).forEach(node::add);
    }

    private static String cut(String text, int most) {
        String printable = PrintableText.of(text);
        return printable.codePointCount(0, printable.length()) <= most
                ? printable
                : printable.substring(0, printable.offsetByCodePoints(0, most - 1)) + "…";
    }

    /** {@return the report that a rank has put on the board} */
    public static RankReport decode(byte[] record) {
        try {
            return report(MAPPER.readTree(new String(record, StandardCharsets.UTF_8)));
        } catch (JacksonException | ArithmeticException e) {
            throw new RendezvousException(
                    "a rank tells watchers what makes no sense: bytes=" + record.length + ", cause="
                            + CommException.textOf(e) + "; watch the job with its own release of Reactive Comm",
                    e);
        }
    }

    private static RankReport report(JsonNode node) {
        List<WaitingCall> oldest = new ArrayList<>();
        node.path("oldest").forEach(call -> {
            if (oldest.size() < MOST_CALLS) {
                oldest.add(call(call));
            }
        });
        return new RankReport(
                Math.toIntExact(number(node, "rank")),
                Math.toIntExact(number(node, "size")),
                number(node, "pid"),
                text(node, "host"),
                Duration.ofNanos(number(node, "over")),
                number(node, "calls"),
                number(node, "failed"),
                number(node, "bytes"),
                number(node, "bus"),
                number(node, "waiting"),
                Math.toIntExact(number(node, "inFlight")),
                oldest,
                ranks(node.path("lost")),
                text(node, "failure"));
    }

    private static WaitingCall call(JsonNode node) {
        return new WaitingCall(
                number(node, "group"),
                Math.toIntExact(number(node, "size")),
                text(node, "label"),
                text(node, "op"),
                text(node, "by"),
                number(node, "bytes"),
                node.has("since") ? Optional.of(Duration.ofNanos(number(node, "since"))) : Optional.empty(),
                ranks(node.path("for")),
                Math.toIntExact(number(node, "late")));
    }

    private static long number(JsonNode node, String key) {
        return node.path(key).asLong(0);
    }

    private static String text(JsonNode node, String key) {
        return cut(node.path(key).asString(""), MOST_LETTERS_OF_FAILURE);
    }

    private static List<Integer> ranks(JsonNode node) {
        List<Integer> ranks = new ArrayList<>();
        node.forEach(each -> {
            if (ranks.size() < MOST_RANKS) {
                ranks.add(each.asInt(-1));
            }
        });
        return ranks;
    }
}
