package io.reactivecomm.timing;

import java.util.List;
import java.util.stream.LongStream;

/**
 * Latencies of calls of one kind in bounded memory: exact count, total, least and largest, and a histogram for the mean without the extremes.
 *
 * <p>A bucket is a sixteenth of a power of two wide, and keeps the sum of its values beside their number. Values below 16 ns have a bucket each,
 * those of 37 minutes and more share the last.
 *
 * <pre>
 *   value     0 … 15 │ 16 … 31 │ 32, 34 … 62 │ 64, 68 … 124 │ …
 *   width       1    │    1    │      2      │      4       │
 * </pre>
 *
 * <p><b>Trimmed mean.</b> Of n values in ascending order the first and the last ⌊n / 10⌋ are left out. A bucket through which that line goes counts
 * the rest of its values with its own mean, so the result is off by less than that bucket's width; all else is exact. In the mean of reciprocals each
 * bucket counts with the reciprocal of its mean, which is off by at most a three-thousandth.
 *
 * <p><b>Threads.</b> Who owns it. <b>Cost.</b> 12 KB; no allocation to add.
 *
 * <p><b>Source.</b> The buckets are those of HdrHistogram.
 */
final class Latencies {

    /** Buckets in each doubling, as a power of two. */
    private static final int BITS = 4;

    private static final int EACH = 1 << BITS;

    /** Those up to 2⁴¹ ns. */
    private static final int BUCKETS = (41 - BITS + 1) * EACH;

    /** One value in so many is left out at each end: DeepSpeed's share. */
    private static final int TRIM = 10;

    /** The latest values that are kept one by one. */
    static final int LATEST = 256;

    private final long[] counts = new long[BUCKETS];
    private final long[] sums = new long[BUCKETS];
    private final long[] latest = new long[LATEST];
    private long count;
    private long total;
    private long min = Long.MAX_VALUE;
    private long max;

    void add(long nanos) {
        int bucket = bucket(nanos);
        latest[(int) (count % LATEST)] = nanos;
        counts[bucket]++;
        sums[bucket] += nanos;
        count++;
        total += nanos;
        min = Math.min(min, nanos);
        max = Math.max(max, nanos);
    }

    static int bucket(long nanos) {
        if (nanos < EACH) {
            return (int) nanos;
        }
        int shift = Long.SIZE - 1 - BITS - Long.numberOfLeadingZeros(nanos);
        return (int) Math.min(BUCKETS - 1, (long) shift * EACH + (nanos >>> shift));
    }

    CommsSummary.Latency summary() {
        return new CommsSummary.Latency(count, total, count == 0 ? 0 : min, max, trimmedMean(false), trimmedMean(true));
    }

    /** {@return the latest values, the oldest first} */
    List<Long> latest() {
        return LongStream.range(Math.max(0, count - LATEST), count)
                .map(each -> latest[(int) (each % LATEST)])
                .boxed()
                .toList();
    }

    private double trimmedMean(boolean isOfReciprocals) {
        long skip = count / TRIM;
        long wanted = count - 2 * skip;
        long left = wanted;
        double sum = 0;
        for (int bucket = 0; left > 0; bucket++) {
            long skipped = Math.min(skip, counts[bucket]);
            long taken = Math.min(left, counts[bucket] - skipped);
            skip -= skipped;
            left -= taken;
            if (isOfReciprocals) {
                sum += sums[bucket] == 0 ? 0 : taken * ((double) counts[bucket] / sums[bucket]);
            } else {
                sum += taken == counts[bucket] ? sums[bucket] : taken * ((double) sums[bucket] / counts[bucket]);
            }
        }
        return wanted == 0 ? 0 : sum / wanted;
    }
}
