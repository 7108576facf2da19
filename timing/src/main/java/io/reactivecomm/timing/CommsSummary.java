package io.reactivecomm.timing;

import io.reactivecomm.Operation;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A summary of the calls that a {@link CommsLogger} has recorded on its rank. It says nothing of other ranks: those may have made other calls, and
 * {@link Stragglers} compares them.
 *
 * @param rank in the world, or {@link #NO_RANK} before the first call
 * @param worldSize how many ranks the world has, beside which a row says how many its calls' group has; 0 as long as that is not known
 * @param since when the logger was made or last reset
 * @param at when this was made
 * @param unlisted calls that are in no row of their kind, because there were {@link CommsLogger#MOST_KINDS} kinds before theirs: each once for each row that it
 *     should have had, which is one for each of its tags, and one without a tag if the logger hears of it by its group. Subscriptions of operators are no calls
 * @param rows by kind, in order; those of timing operators, by tag, behind the others
 */
public record CommsSummary(int rank, int worldSize, Instant since, Instant at, long unlisted, List<Row> rows) {

    /** The rank of a logger that has recorded no call. */
    public static final int NO_RANK = -1;

    public CommsSummary {
        rows = List.copyOf(rows);
    }

    /**
     * Calls of one kind, or the subscriptions of timing operators with one tag.
     *
     * <p>A call under an operator is in the row of its kind and tag, and the operator has a row of its own ({@link LoggedKind#isTimed}). If the logger hears of
     * the call by its group, too, that is in a row without a tag. So rows with different tags must not be added up.
     *
     * @param latency of those that succeeded, from subscription to end
     * @param phases of those that succeeded
     * @param payloadBytes that this rank gave to its links for those that succeeded; with {@code headerBytes} the bytes on the wire
     * @param headerBytes of frames, as {@link io.reactivecomm.observe.ObservedCall#headerBytes} counts them
     * @param calls of operators and views with the tag that have ended, each once, composite calls and their parts among them; its count is that of
     *     subscriptions of operators under which there was one. {@code phases} and bytes are those of these calls
     * @param failures how many failed, by the simple name of what their subscribers were told; of an operator those that were cancelled are a
     *     {@code CancellationException}
     */
    public record Row(
            LoggedKind kind,
            Latency latency,
            Phases phases,
            Known payloadBytes,
            Known headerBytes,
            Known calls,
            Map<String, Long> failures) {

        /**
         * {@return whether it is an operator's, and no call was ever heard of under it} It makes none, or an operator before it subscribes without its
         * subscriber's Context.
         */
        public boolean isUntimed() {
            return kind.isTimed() && calls.count() == 0 && calls.total() == 0;
        }

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
            return algorithmBandwidth() * busFactor();
        }

        /** {@return the trimmed mean of each call's algorithm bandwidth, as DeepSpeed has it; quick calls weigh more than in {@link #algorithmBandwidth}} */
        public double meanAlgorithmBandwidth() {
            return kind.byteSize() * latency.trimmedMeanPerNano;
        }

        /** {@return {@link #meanAlgorithmBandwidth} times the operation's factor} */
        public double meanBusBandwidth() {
            return meanAlgorithmBandwidth() * busFactor();
        }

        private double busFactor() {
            return Operation.busFactor(kind.operation(), kind.groupSize());
        }
    }

    /**
     * Latencies, in nanoseconds; all 0 where there are none.
     *
     * @param trimmedMeanNanos the mean without the ⌊count / 10⌋ least and as many of the largest, to within a sixteenth of the values at those two
     *     borders
     * @param trimmedMeanPerNano the mean of the reciprocals, without the same values
     */
    public record Latency(
            long count,
            long totalNanos,
            long minNanos,
            long maxNanos,
            double trimmedMeanNanos,
            double trimmedMeanPerNano) {}

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

    /** {@return a summary of the rows alone whose tag is of that pattern, such as {@code forward*}; an empty one is that of calls without a tag} */
    public CommsSummary tagged(String pattern) {
        NamePattern tags = new NamePattern(pattern);
        return new CommsSummary(
                rank,
                worldSize,
                since,
                at,
                unlisted,
                rows.stream().filter(row -> tags.matches(row.kind().tag())).toList());
    }

    /** {@return whether nothing is recorded: the opposite of DeepSpeed's {@code has_comm_data}} */
    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** {@return the operations of calls that are recorded, in order, as DeepSpeed's {@code get_logged_comm_ops}} */
    public List<String> operations() {
        return rows.stream()
                .filter(row -> row.kind().tag().isEmpty())
                .map(row -> row.kind().operation())
                .distinct()
                .toList();
    }

    /** {@return how many calls have succeeded, as DeepSpeed's {@code get_comm_operation_count}} */
    public long count() {
        return rows.stream()
                .filter(row -> row.kind().tag().isEmpty())
                .mapToLong(Row::count)
                .sum();
    }

    /** {@return how many calls of an operation have succeeded, of any size} */
    public long count(String operation) {
        return rows.stream()
                .filter(row ->
                        row.kind().tag().isEmpty() && row.kind().operation().equals(operation))
                .mapToLong(Row::count)
                .sum();
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
