package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.StubCall;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Tables and lines of a logger, with names, tags and operations that would steer a terminal. */
class PrintableTablesTest {

    private static final String STEERS = "\u001b[2J\r\n\u202efake 0 of rank";
    private static final String LINES_THAT_STEER_NOTHING = "([^\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]|\n|\r\n)*";

    private final CommsLogger logger = CommsLogger.of(CommsLoggerOptions.DEFAULT.withDebug(true));

    private CommsSummary summary() {
        logger.ended(StubCall.of("a" + STEERS, 8, 3).named("b" + STEERS).at("c" + STEERS), null, 100);
        logger.ended(StubCall.of("all-reduce", 8, 3).in(0, "d" + STEERS), null, 100);
        Mono.from(Mono.just(1).transform(logger.timed("e" + STEERS))).block();
        return logger.summary();
    }

    @Test
    void summary_hasALineForEachRow_andSteersNothing() {
        assertThat(summary().table())
                .matches(LINES_THAT_STEER_NOTHING)
                .contains("a [2J", "b [2J", "c [2J", "d [2J", "[e [2J")
                .satisfies(table -> assertThat(table.lines()).hasSize(5));
    }

    /** The rows of other ranks are theirs. */
    @Test
    void stragglers_steerNothing() {
        CommsSummary summary = summary();
        assertThat(Stragglers.of(List.of(0, 1), List.of(summary, summary)).table())
                .matches(LINES_THAT_STEER_NOTHING)
                .satisfies(table ->
                        assertThat(table.lines()).hasSize(1 + 2 * summary.rows().size()));
    }

    @Test
    void lineOfACall_isOneLine() {
        StubCall call = StubCall.of("a" + STEERS, 8, 3).named("b" + STEERS).at("c" + STEERS);
        assertThat(CallLine.of(call, null, 100, true))
                .doesNotContain("\n", "\r")
                .matches(LINES_THAT_STEER_NOTHING)
                .contains("b [2J", "c [2J");
    }

    /** What a program reads is as it was. */
    @Test
    void json_hasTheNameAsItIs() {
        assertThat(summary().toJson()).containsIgnoringCase("\\u001b[2J\\r\\n");
    }
}
