package io.reactivecomm.observability.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The offset of one clock over another as time goes on: straight lines between comparisons, since clocks drift evenly for long.
 *
 * <p>Between two comparisons that are right within their bounds a line is right within the larger of these, if the clocks drift evenly in between.
 * Before the first and after the last the offset is theirs. Comparisons lie at least a second apart, or their errors would bend time; where they
 * still would make it go backwards the one with the larger bound is left out.
 *
 * @param kept in the order of their times, at least one
 */
record ClockLine(List<Comparison> kept) {

    private static final long LEAST_SPACING = TimeUnit.SECONDS.toNanos(1);

    /**
     * One comparison.
     *
     * @param at when, by the one clock
     * @param offset what the other one is ahead
     * @param bound by how much that may be wrong
     */
    record Comparison(long at, long offset, long bound) {

        /** {@return the same from the other clock's side} */
        Comparison reversed() {
            return new Comparison(at + offset, -offset, bound);
        }

        private boolean clashesWith(Comparison later) {
            long apart = later.at - at;
            return apart < LEAST_SPACING || 2 * Math.abs((double) later.offset - offset) >= apart;
        }
    }

    static ClockLine of(List<Comparison> comparisons) {
        List<Comparison> kept = new ArrayList<>();
        comparisons.stream().sorted(Comparator.comparingLong(Comparison::at)).forEach(each -> {
            while (!kept.isEmpty() && kept.getLast().clashesWith(each) && each.bound < kept.getLast().bound) {
                kept.removeLast();
            }
            if (kept.isEmpty() || !kept.getLast().clashesWith(each)) {
                kept.add(each);
            }
        });
        return new ClockLine(List.copyOf(kept));
    }

    /** {@return the time of the other clock when this one shows that} A later one is never earlier there. */
    long other(long at) {
        return at + offset(at);
    }

    private long offset(long at) {
        int after = firstAfter(at);
        if (after == 0) {
            return kept.getFirst().offset;
        }
        Comparison before = kept.get(after - 1);
        return after == kept.size() ? before.offset : between(before, kept.get(after), at);
    }

    /** {@return the place of the first comparison after that time} By halves: each event of a trace asks, and a job of hours has thousands. */
    private int firstAfter(long at) {
        int from = 0;
        int to = kept.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (kept.get(middle).at > at) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        return from;
    }

    private static long between(Comparison before, Comparison after, long at) {
        double part = (double) (at - before.at) / (after.at - before.at);
        return before.offset + Math.round(part * (after.offset - before.offset));
    }

    /** {@return by how much a time may be wrong} */
    long bound() {
        return kept.stream().mapToLong(Comparison::bound).max().orElse(0);
    }
}
