package io.reactivecomm.internal.live;

import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.base.PrintableText;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.recorder.WaitingCall;
import io.reactivecomm.spi.JobBoard;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A {@link RankReport} as it stands on a job's board: a short JSON object. Texts and lists are cut, so that it always fits.
 *
 * <p><b>Errors.</b> {@link RendezvousException} for bytes that are no report; characters that steer a terminal are replaced.
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
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .build();

    private ReportCodec() {}

    /** {@return a report for the board} */
    public static byte[] encode(RankReport report) {
        int calls = MOST_CALLS;
        byte[] record = MAPPER.writeValueAsBytes(cut(report, calls));
        while (record.length > JobBoard.MAX_RECORD_BYTES && calls > 0) {
            record = MAPPER.writeValueAsBytes(cut(report, --calls));
        }
        return record;
    }

    /** {@return the report that a rank has put on the board} */
    public static RankReport decode(byte[] record) {
        try {
            return cut(MAPPER.readValue(record, RankReport.class), MOST_CALLS);
        } catch (JacksonException | NullPointerException e) {
            throw new RendezvousException(
                    "a rank tells watchers what makes no sense: bytes=" + record.length + ", cause="
                            + CommException.textOf(e) + "; watch the job with its own release of Reactive Comm",
                    e);
        }
    }

    private static RankReport cut(RankReport report, int calls) {
        return new RankReport(
                report.rank(),
                report.worldSize(),
                report.pid(),
                cut(report.host(), MOST_LETTERS),
                report.over(),
                report.calls(),
                report.failed(),
                report.bytes(),
                report.busBytes(),
                report.waitingNanos(),
                report.inFlight(),
                report.oldest().stream().limit(calls).map(ReportCodec::cut).toList(),
                cut(report.lost()),
                cut(report.failure(), MOST_LETTERS_OF_FAILURE));
    }

    private static WaitingCall cut(WaitingCall call) {
        return new WaitingCall(
                call.group(),
                call.groupSize(),
                cut(call.label(), MOST_LETTERS),
                cut(call.operation(), MOST_LETTERS),
                cut(call.backend(), MOST_LETTERS),
                call.byteSize(),
                call.since(),
                cut(call.waitsFor()),
                call.lateCount());
    }

    private static List<Integer> cut(List<Integer> ranks) {
        return ranks.stream().limit(MOST_RANKS).toList();
    }

    private static String cut(String text, int most) {
        String printable = PrintableText.of(text);
        return printable.codePointCount(0, printable.length()) <= most
                ? printable
                : printable.substring(0, printable.offsetByCodePoints(0, most - 1)) + "…";
    }
}
