package io.reactivecomm.observability.trace;

import java.util.Comparator;

/**
 * One lane of a rank.
 *
 * @param number by which a part knows it, unique among its rank's
 */
record TraceLane(int rank, int number) implements Comparable<TraceLane> {

    private static final Comparator<TraceLane> ORDER =
            Comparator.comparingInt(TraceLane::rank).thenComparingInt(TraceLane::number);

    @Override
    public int compareTo(TraceLane other) {
        return ORDER.compare(this, other);
    }
}
