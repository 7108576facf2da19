package io.reactivecomm.observability.trace;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** The clocks of a trace's ranks as a table. */
final class ClockTable {

    private ClockTable() {}

    static String of(List<RankClock> clocks) {
        StringBuilder table = new StringBuilder(
                String.format(Locale.ROOT, "%6s  %-16s  %22s  %14s%n", "rank", "clock by", "offset", "within"));
        for (RankClock clock : clocks) {
            table.append(String.format(
                    Locale.ROOT,
                    "%6d  %-16s  %20s s  %14s%n",
                    clock.rank(),
                    clock.basis(),
                    BigDecimal.valueOf(clock.offsetNanos(), 9).toPlainString(),
                    within(clock.boundNanos())));
        }
        return table.toString();
    }

    private static String within(OptionalLong bound) {
        return bound.isEmpty()
                ? "unknown"
                : "± " + BigDecimal.valueOf(bound.getAsLong(), 3).toPlainString() + " µs";
    }
}
