package io.reactivecomm.rcomm.overlap;

import java.util.Comparator;
import java.util.List;

/**
 * A time in which something went on.
 *
 * @param name what
 * @param fromNanos its begin, since the epoch
 * @param toNanos its end
 */
record TimeSpan(String name, long fromNanos, long toNanos) {

    /** {@return the time in which at least one of them went on} */
    static long unionNanos(List<TimeSpan> spans) {
        long union = 0;
        long covered = Long.MIN_VALUE;
        for (TimeSpan span : spans.stream()
                .sorted(Comparator.comparingLong(TimeSpan::fromNanos))
                .toList()) {
            union += Math.max(0, span.toNanos - Math.max(covered, span.fromNanos));
            covered = Math.max(covered, span.toNanos);
        }
        return union;
    }
}
