package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.testkit.StubCall;
import io.reactivecomm.timing.CommsSummary.Known;
import io.reactivecomm.timing.CommsSummary.Row;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The logger's arithmetic, with calls that are not there. */
class CommsLoggerTest {

    private final CommsLogger logger = CommsLogger.of(CommsLoggerOptions.DEFAULT);

    private static void end(CommsLogger logger, ObservedCall... calls) {
        for (ObservedCall call : calls) {
            logger.ended(call, null, 1000);
        }
    }

    private static List<String> operations(CommsLogger logger) {
        return logger.summary().rows().stream()
                .map(row -> row.kind().operation())
                .toList();
    }

    @Test
    void options_changeWhileItObserves_andRowsStay() {
        end(logger, StubCall.of("all-reduce", 8, 4), StubCall.of("broadcast", 8, 4));
        logger.configure(CommsLoggerOptions.DEFAULT.withOperations(List.of("broadcast")));
        end(logger, StubCall.of("all-reduce", 8, 4), StubCall.of("broadcast", 8, 4));
        logger.configure(CommsLoggerOptions.DEFAULT.withEnabled(false));
        end(logger, StubCall.of("all-reduce", 8, 4), StubCall.of("broadcast", 8, 4));

        assertThat(logger.options().enabled()).isFalse();
        assertThat(logger.summary().count("all-reduce")).isEqualTo(1);
        assertThat(logger.summary().count("broadcast")).isEqualTo(2);
    }

    @Test
    void row_hasNcclTestsBandwidths_byTheGroupsSize() {
        for (int nanos = 1000; nanos <= 3000; nanos += 1000) {
            logger.ended(StubCall.of("all-reduce", 8000, 4), null, nanos);
        }
        assertThat(logger.summary().rank()).isEqualTo(5);
        Row row = logger.summary().rows().getFirst();
        assertThat(row.kind()).isEqualTo(new LoggedKind("all-reduce", 8000, 4, "links", ""));
        double perNano = (1 / 1000.0 + 1 / 2000.0 + 1 / 3000.0) / 3;
        assertThat(row.latency().trimmedMeanPerNano()).isCloseTo(perNano, within(1e-12));
        assertThat(row.latency())
                .isEqualTo(new CommsSummary.Latency(
                        3, 6000, 1000, 3000, 2000, row.latency().trimmedMeanPerNano()));
        assertThat(row.algorithmBandwidth()).isCloseTo(4, within(1e-12));
        assertThat(row.busBandwidth()).isCloseTo(6, within(1e-12));
        assertThat(row.phases())
                .isEqualTo(new CommsSummary.Phases(
                        new Known(3, 30), new Known(3, 60), new Known(3, 90), new Known(3, 120)));
        assertThat(row.payloadBytes()).isEqualTo(new Known(3, 48_000));
        assertThat(row.headerBytes()).isEqualTo(new Known(3, 300));
        assertThat(logger.summary().worldSize()).isEqualTo(16);
        assertThat(logger.summary().table()).startsWith("# calls of rank 5 of 16 ");
    }

    @Test
    void kinds_areOperationSizeGroupSizeAndEngine() {
        end(
                logger,
                StubCall.of("all-reduce", 8, 4),
                StubCall.of("all-reduce", 8, 2),
                StubCall.of("all-reduce", 16, 4),
                StubCall.of("reduce", 8, 4));
        end(
                logger,
                StubCall.elsewhere("all-reduce", 8, 4),
                StubCall.of("all-reduce", 8, 4).named("layer1"));
        assertThat(logger.summary().rows())
                .extracting(Row::kind, Row::count)
                .containsExactly(
                        tuple(new LoggedKind("all-reduce", 8, 2, "links", ""), 1),
                        tuple(new LoggedKind("all-reduce", 8, 4, "links", ""), 2),
                        tuple(new LoggedKind("all-reduce", 8, 4, "mpi", ""), 1),
                        tuple(new LoggedKind("all-reduce", 16, 4, "links", ""), 1),
                        tuple(new LoggedKind("reduce", 8, 4, "links", ""), 1));
    }

    private static Tuple tuple(LoggedKind kind, long count) {
        return Assertions.tuple(kind, count);
    }

    @Test
    void unknownPhases_areNotZero() {
        end(logger, StubCall.elsewhere("all-reduce", 8, 2));
        Row row = logger.summary().rows().getFirst();
        assertThat(row.phases().wire()).isEqualTo(new Known(0, 0));
        assertThat(row.payloadBytes().count()).isZero();
        assertThat(logger.summary().table()).contains(" - ");
    }

    @Test
    void failures_areCountedByKind_andLeaveTimesAlone() {
        StubCall call = StubCall.of("all-reduce", 8, 2);
        logger.ended(call, null, 1000);
        logger.ended(call, new IllegalStateException("one"), 9_000_000);
        logger.ended(call, new IllegalStateException("two"), 9_000_000);
        logger.ended(call, new ArithmeticException(), 9_000_000);
        Row row = logger.summary().rows().getFirst();
        assertThat(row.failures()).isEqualTo(Map.of("IllegalStateException", 2L, "ArithmeticException", 1L));
        assertThat(row.failed()).isEqualTo(3);
        assertThat(row.latency()).isEqualTo(new CommsSummary.Latency(1, 1000, 1000, 1000, 1000, 0.001));
    }

    @Test
    void callThatOnlyFailed_hasNoBandwidth() {
        logger.ended(StubCall.of("", 0, 2), new IllegalStateException(), 5);
        Row row = logger.summary().rows().getFirst();
        assertThat(row.count()).isZero();
        assertThat(row.busBandwidth()).isZero();
        assertThat(logger.summary().table()).contains("{IllegalStateException=1}");
    }

    @Test
    void callThatIsOff_doesNotSpoilTheOthersBandwidth() {
        end(
                logger,
                StubCall.of("all-reduce", 8, 2),
                StubCall.of("all-reduce", 8, 2).withAlgorithm("off"));
        assertThat(logger.summary().rows())
                .extracting(row -> row.kind().backend())
                .containsExactly("links", "off");
    }

    @Test
    void stop_start_andReset() {
        CommsLogger later = CommsLogger.of(CommsLoggerOptions.DEFAULT.withEnabled(false));
        end(later, StubCall.of("barrier", 0, 2));
        assertThat(operations(later)).isEmpty();
        assertThat(later.summary().rank()).isEqualTo(CommsSummary.NO_RANK);
        later.start();
        end(later, StubCall.of("barrier", 0, 2));
        later.stop();
        end(later, StubCall.of("reduce", 4, 2));
        assertThat(operations(later)).containsExactly("barrier");
        later.reset();
        assertThat(operations(later)).isEmpty();
        later.start();
        end(later, StubCall.of("reduce", 4, 2));
        assertThat(operations(later)).containsExactly("reduce");
    }

    @Test
    void filter_isByOperation_andName() {
        StubCall named = StubCall.of("all-reduce", 8, 2).named("layer1");
        StubCall[] calls = {
            named,
            StubCall.of("all-reduce", 16, 2),
            StubCall.of("send", 8, 2).named("layer2"),
            StubCall.composite("step")
        };
        assertThat(recorded(CommsLoggerOptions.DEFAULT, calls))
                .containsExactly("all-reduce", "all-reduce", "send", "step");
        assertThat(recorded(CommsLoggerOptions.DEFAULT.withOperations(Set.of("message")), calls))
                .containsExactly("send");
        assertThat(recorded(CommsLoggerOptions.DEFAULT.withOperations(Set.of("composite")), calls))
                .containsExactly("step");
        assertThat(recorded(CommsLoggerOptions.DEFAULT.withNames(List.of("layer*")), calls))
                .containsExactly("all-reduce", "send");
        assertThat(recorded(CommsLoggerOptions.DEFAULT.withNames(List.of("head", "layer1")), calls))
                .containsExactly("all-reduce");
        assertThat(recorded(CommsLoggerOptions.DEFAULT.withOperations(Set.of()), calls))
                .isEmpty();
        assertThat(recorded(CommsLoggerOptions.parse("ops=send;names=layer1"), calls))
                .isEmpty();
        assertThat(recorded(CommsLoggerOptions.parse("ops=composite,named:layer1"), calls))
                .containsExactly("all-reduce", "step");
        assertThat(recorded(CommsLoggerOptions.parse("ops=named:*;names=layer2"), calls))
                .containsExactly("send");
    }

    private static List<String> recorded(CommsLoggerOptions options, ObservedCall... calls) {
        CommsLogger filtered = CommsLogger.of(options);
        end(filtered, calls);
        return operations(filtered);
    }

    @Test
    void debug_tellsNamesApart_andUnnamedCallsToo() {
        CommsLogger debug = CommsLogger.of(CommsLoggerOptions.DEFAULT.withDebug(true));
        end(
                debug,
                StubCall.of("all-reduce", 8, 2).named("b"),
                StubCall.of("all-reduce", 8, 2),
                StubCall.of("all-reduce", 8, 2).named("a"));
        assertThat(debug.summary().rows()).extracting(row -> row.kind().name()).containsExactly("", "a", "b");
    }

    /** DeepSpeed's debug tells the caller; here it is where the program assembles the call. */
    @Test
    void debug_tellsCallersApart_andAsksForThem() {
        CommsLogger debug = CommsLogger.of(CommsLoggerOptions.DEFAULT.withDebug(true));
        assertThat(debug.wantsCallSites()).isTrue();
        assertThat(logger.wantsCallSites()).isFalse();
        StubCall[] calls = {
            StubCall.of("all-reduce", 8, 2).at("Model.forward:3"),
            StubCall.of("all-reduce", 8, 2).at("Model.step:9")
        };
        end(debug, calls);
        end(logger, calls);
        assertThat(debug.summary().rows())
                .extracting(row -> row.kind().callSite())
                .containsExactly("Model.forward:3", "Model.step:9");
        assertThat(debug.summary().table()).contains("all-reduce at Model.step:9");
        assertThat(debug.summary().toCsv()).contains(",Model.step:9,");
        assertThat(logger.summary().rows()).hasSize(1);
        assertThat(CallLine.of(calls[1], null, 2000, true)).endsWith(", at=Model.step:9");
        assertThat(CallLine.of(calls[1], null, 2000, false)).doesNotContain("Model");
    }

    @Test
    void summary_answersWhatDeepSpeedsLoggerIsAsked() {
        assertThat(logger.summary().isEmpty()).isTrue();
        end(
                logger,
                StubCall.of("all-reduce", 8, 2),
                StubCall.of("all-reduce", 16, 2),
                StubCall.of("barrier", 0, 2),
                StubCall.of("all-reduce", 8, 2));
        assertThat(logger.summary().isEmpty()).isFalse();
        assertThat(logger.summary().operations()).containsExactly("all-reduce", "barrier");
        assertThat(logger.summary().count("all-reduce")).isEqualTo(3);
        assertThat(logger.summary().count())
                .isEqualTo(logger.summary().operations().stream()
                        .mapToLong(logger.summary()::count)
                        .sum())
                .isGreaterThanOrEqualTo(3);
        assertThat(logger.summary().count("reduce")).isZero();
    }

    @Test
    void verbose_logsEachCall() {
        Logger log = (Logger) LoggerFactory.getLogger(CommsLogger.class);
        Level before = log.getLevel();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.setLevel(Level.INFO);
        log.addAppender(lines);
        try {
            CommsLogger verbose = CommsLogger.of(CommsLoggerOptions.DEFAULT.withVerbose(true));
            verbose.ended(StubCall.of("all-reduce", 8000, 4).named("layer1"), null, 2000);
            verbose.ended(StubCall.of("all-reduce", 8000, 4), new ArithmeticException(), 2000);
            end(CommsLogger.of(CommsLoggerOptions.DEFAULT), StubCall.of("all-reduce", 8, 2));
        } finally {
            log.detachAppender(lines);
            log.setLevel(before);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "all-reduce: rank=5, call=layer1#0, bytes=8000, ranks=4, took=0.002 ms, algbw=4.000 GB/s, busbw=6.000 GB/s",
                        "all-reduce: rank=5, call=#0, bytes=8000, ranks=4, took=0.002 ms, error=ArithmeticException");
    }

    @Test
    void tooManyKinds_areOnlyCounted() {
        for (int i = 0; i < CommsLogger.MOST_KINDS + 3; i++) {
            end(logger, StubCall.of("all-reduce", 1L << 20 | i, 2), StubCall.of("all-reduce", 1L << 20, 2));
        }
        CommsSummary summary = logger.summary();
        assertThat(summary.rows()).hasSize(CommsLogger.MOST_KINDS);
        assertThat(summary.unlisted()).isEqualTo(3);
        assertThat(summary.rows().getFirst().count()).isEqualTo(CommsLogger.MOST_KINDS + 4);
        assertThat(summary.table()).contains("3 calls of further kinds");
    }

    @Test
    void threads_loseNothing() throws InterruptedException {
        int threads = 4;
        int rounds = 2000;
        CountDownLatch begin = new CountDownLatch(threads);
        List<Thread> all = IntStream.range(0, threads)
                .mapToObj(thread -> Thread.ofPlatform().start(() -> {
                    begin.countDown();
                    for (int i = 0; i < rounds; i++) {
                        end(logger, StubCall.of("all-reduce", i % 100, 2));
                        logger.ended(StubCall.of("all-reduce", i % 100, 2), new ArithmeticException(), 1);
                    }
                }))
                .toList();
        for (Thread each : all) {
            each.join();
        }
        List<Row> rows = logger.summary().rows();
        assertThat(rows).hasSize(100).allSatisfy(row -> {
            assertThat(row.count()).isEqualTo(threads * rounds / 100);
            assertThat(row.failed()).isEqualTo(threads * rounds / 100);
            assertThat(row.latency().totalNanos()).isEqualTo(1000 * row.count());
        });
    }

    @Test
    void json_readsBack() {
        end(logger, StubCall.of("all-reduce", 8000, 4).named("a\"b"));
        logger.ended(StubCall.of("all-reduce", 8000, 4), new ArithmeticException(), 3);
        JsonNode whole = JsonMapper.builder().build().readTree(logger.summary().toJson());
        assertThat(whole.get("rank").intValue()).isEqualTo(5);
        assertThat(whole.get("rows").size()).isEqualTo(1);
        JsonNode row = whole.get("rows").get(0);
        assertThat(row.get("operation").stringValue()).isEqualTo("all-reduce");
        assertThat(row.get("byteSize").longValue()).isEqualTo(8000);
        assertThat(row.get("groupSize").intValue()).isEqualTo(4);
        assertThat(row.get("count").longValue()).isEqualTo(1);
        assertThat(row.get("failures").get("ArithmeticException").longValue()).isEqualTo(1);
        assertThat(row.get("averageNanos").doubleValue()).isEqualTo(1000);
        assertThat(row.get("busbwGBps").doubleValue()).isEqualTo(12);
        assertThat(row.get("wireNanos").get("total").longValue()).isEqualTo(30);
        assertThat(row.get("payloadBytes").get("total").longValue()).isEqualTo(16_000);
        assertThat(row.get("headerBytes").get("total").longValue()).isEqualTo(100);
        assertThat(whole.get("worldSize").intValue()).isEqualTo(16);
    }

    @Test
    void csv_hasALineForEachKind_withAFieldForEachColumn() {
        CommsLogger debug = CommsLogger.of(CommsLoggerOptions.DEFAULT.withDebug(true));
        end(debug, StubCall.of("all-reduce", 8000, 4).named("a,\"b\""), StubCall.elsewhere("barrier", 0, 4));
        String[] lines = debug.summary().toCsv().split("\r\n");
        assertThat(lines).hasSize(3);
        assertThat(lines[0])
                .startsWith(
                        "rank,worldSize,tag,operation,byteSize,groupSize,backend,name,callSite,count,failed,totalNanos,");
        assertThat(lines[1])
                .isEqualTo(
                        "5,16,,all-reduce,8000,4,links,\"a,\"\"b\"\"\",,1,0,1000,1000,1000,1000.0,8.0,12.0,10.0,20.0,30.0,40.0,16000,100,");
        assertThat(lines[2]).isEqualTo("5,16,,barrier,0,4,mpi,,,1,0,1000,1000,1000,1000.0,0.0,0.0,,,,,,,");
        assertThat(lines[2].split(",", -1)).hasSameSizeAs(lines[0].split(","));
    }

    @Test
    void table_isAlignedWithItsHeader() {
        end(logger, StubCall.of("all-reduce", 8_000_000, 4));
        List<String> lines = logger.summary().table().lines().toList();
        assertThat(lines).hasSize(3);
        assertThat(lines.get(2))
                .hasSameSizeAs(lines.get(1))
                .startsWith("all-reduce")
                .contains("8000000");
    }
}
