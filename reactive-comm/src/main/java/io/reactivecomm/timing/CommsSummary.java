package io.reactivecomm.timing;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A summary of the calls that a {@link CommsLogger} has recorded on its rank. It says nothing of other ranks: those may have made other calls, and
 * {@link Stragglers} compares them.
 *
 * @param rank in the world, or {@link #NO_RANK} before the first call
 * @param since when the logger was made or last reset
 * @param at when this was made
 * @param unlisted calls that are in no row, because there were {@link CommsLogger#MOST_KINDS} kinds before theirs
 * @param rows by kind, in order
 */
public record CommsSummary(int rank, Instant since, Instant at, long unlisted, List<Row> rows) {

    /** The rank of a logger that has recorded no call. */
    public static final int NO_RANK = -1;

    public CommsSummary {
        rows = List.copyOf(rows);
    }

    /**
     * Calls of one kind.
     *
     * @param latency of those that succeeded, from subscription to end
     * @param phases of those that succeeded
     * @param payloadBytes that this rank gave to its links for those that succeeded: the bytes on the wire
     * @param failures how many calls failed, by the simple name of what their subscribers were told
     */
    public record Row(LoggedKind kind, Latency latency, Phases phases, Known payloadBytes, Map<String, Long> failures) {

        /** {@return how many succeeded} */
        public long count() {
            return latency.count;
        }

        /** {@return how many failed} */
        public long failed() {
            return failures.values().stream().mapToLong(Long::longValue).sum();
        }

        /** {@return size by the trimmed mean of latency, in 10⁹ bytes a second, as nccl-tests has it; waiting for late ranks is part of that time} */
        public double algorithmBandwidth() {
            return latency.trimmedMeanNanos == 0 ? 0 : kind.byteSize() / latency.trimmedMeanNanos;
        }

        /** {@return the algorithm bandwidth times the operation's factor in a group of that size} */
        public double busBandwidth() {
            return algorithmBandwidth() * BusBandwidth.of(kind.operation()).factor(kind.groupSize());
        }
    }

    /**
     * Latencies, in nanoseconds; all 0 where there are none.
     *
     * @param trimmedMeanNanos the mean without the ⌊count / 10⌋ least and as many of the largest, to within a sixteenth of the values at those two
     *     borders
     */
    public record Latency(long count, long totalNanos, long minNanos, long maxNanos, double trimmedMeanNanos) {}

    /** Times in each phase, in nanoseconds, as {@link io.reactivecomm.observe.CallPhases} has them. */
    public record Phases(Known queued, Known matching, Known wire, Known fold) {}

    /**
     * A total of what not every call knows.
     *
     * @param count calls that knew it
     * @param total of theirs
     */
    public record Known(long count, long total) {

        /** {@return the mean of those that knew it; 0 if none did} */
        public double mean() {
            return count == 0 ? 0 : (double) total / count;
        }
    }

    /** {@return a table for a terminal: a line for each kind, times in milliseconds, bandwidths in 10⁹ bytes a second} */
    public String table() {
        return SummaryTable.of(this);
    }

    /** {@return one JSON object, whose units are in the names of its fields} */
    public String toJson() {
        return SummaryJson.of(this);
    }

    /** {@return a header and a line for each kind, as RFC 4180 has it; what no call knew is an empty field} */
    public String toCsv() {
        return SummaryCsv.of(this);
    }
}
