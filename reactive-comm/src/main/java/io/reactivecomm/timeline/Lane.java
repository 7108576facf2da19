package io.reactivecomm.timeline;

import java.util.Comparator;

/**
 * One lane of a rank.
 *
 * @param number by which a part knows it, unique among its rank's
 */
record Lane(int rank, int number) implements Comparable<Lane> {

    private static final Comparator<Lane> ORDER =
            Comparator.comparingInt(Lane::rank).thenComparingInt(Lane::number);

    @Override
    public int compareTo(Lane other) {
        return ORDER.compare(this, other);
    }
}
