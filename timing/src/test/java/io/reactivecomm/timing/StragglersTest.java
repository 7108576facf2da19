package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.StubCall;
import io.reactivecomm.timing.CommsSummary.Known;
import io.reactivecomm.timing.Stragglers.Row;
import io.reactivecomm.timing.Stragglers.Share;
import java.util.List;
import org.junit.jupiter.api.Test;

class StragglersTest {

    private static CommsSummary summary(long... nanos) {
        CommsLogger logger = CommsLogger.of(CommsLoggerOptions.DEFAULT);
        for (long each : nanos) {
            logger.ended(StubCall.of("all-reduce", 8, 3), null, each);
        }
        return logger.summary();
    }

    @Test
    void excess_isOverTheFastestRank() {
        Row row = Stragglers.of(List.of(4, 6, 9), List.of(summary(100, 300), summary(50, 50), summary(60, 60)))
                .rows()
                .getFirst();
        assertThat(row.kind()).isEqualTo(new LoggedKind("all-reduce", 8, 3, "links", ""));
        assertThat(row.shares())
                .containsExactly(
                        new Share(4, 2, 400, 200, 300, new Known(2, 40)),
                        new Share(6, 2, 100, 50, 0, new Known(2, 40)),
                        new Share(9, 2, 120, 60, 20, new Known(2, 40)));
        assertThat(row.isRagged()).isFalse();
    }

    @Test
    void differentCounts_areComparedByMeans_andMarked() {
        Stragglers found = Stragglers.of(List.of(0, 1, 2), List.of(summary(), summary(100, 100, 100), summary(10)));
        Row row = found.rows().getFirst();
        assertThat(row.shares())
                .containsExactly(
                        new Share(0, 0, 0, 0, 0, new Known(0, 0)),
                        new Share(1, 3, 300, 100, 270, new Known(3, 60)),
                        new Share(2, 1, 10, 10, 0, new Known(1, 20)));
        assertThat(row.isRagged()).isTrue();
        assertThat(found.table().lines())
                .hasSize(4)
                .filteredOn(line -> line.contains("*"))
                .hasSize(3);
    }

    /** A rank whose calls all failed has none to compare. */
    @Test
    void failuresAlone_areNotFast() {
        CommsLogger failing = CommsLogger.of(CommsLoggerOptions.DEFAULT);
        failing.ended(StubCall.of("all-reduce", 8, 3), new ArithmeticException(), 1);
        Row row = Stragglers.of(List.of(0, 1), List.of(failing.summary(), summary(100)))
                .rows()
                .getFirst();
        assertThat(row.shares()).extracting(Share::excessNanos).containsExactly(0.0, 0.0);
    }
}
