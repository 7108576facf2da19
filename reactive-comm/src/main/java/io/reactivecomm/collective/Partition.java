package io.reactivecomm.collective;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The partition of a row of elements into parts: one part for each rank, for each tensor, or a single one.
 *
 * <p>Several tensors count as one row, one after the other. Two partitions are equal if they have the same parts, however they were made.
 */
public final class Partition {

    /** Parts shown in a message; the rest is counted. */
    private static final int SHOWN = 16;

    private static final long[] NO_BOUNDS = {};

    static final long[] NO_COUNTS = {};

    private static final Partition NOTHING = new Partition(0, 0, NO_BOUNDS);

    private final int parts;
    private final long each;
    /** Where each part begins, and where the last one ends; empty if all parts are equally long. */
    private final long[] bounds;

    private Partition(int parts, long each, long[] bounds) {
        this.parts = parts;
        this.each = each;
        this.bounds = bounds;
    }

    /** {@return no part at all} */
    public static Partition nothing() {
        return NOTHING;
    }

    /** {@return one part} */
    public static Partition whole(long count) {
        return even(1, count);
    }

    /** {@return equally long parts} */
    public static Partition even(int parts, long count) {
        return evenOr(NO_COUNTS, parts, count);
    }

    /** {@return parts of those lengths, none negative} */
    public static Partition of(long... counts) {
        return evenOr(counts, 0, 0);
    }

    /**
     * {@return parts of those lengths; where none are given, equally long ones}
     * Both in one place: what chooses between two partitions allocates one either way.
     */
    static Partition evenOr(long[] counts, int parts, long count) {
        boolean isEven = areEven(counts);
        int number = counts.length == 0 ? parts : counts.length;
        long each = counts.length == 0 ? count : counts[0];
        return new Partition(number, isEven && number > 0 ? each : 0, isEven ? NO_BOUNDS : boundsOf(counts));
    }

    private static boolean areEven(long[] counts) {
        for (long count : counts) {
            if (count != counts[0]) {
                return false;
            }
        }
        return true;
    }

    private static long[] boundsOf(long[] counts) {
        long[] bounds = new long[counts.length + 1];
        for (int i = 0; i < counts.length; i++) {
            bounds[i + 1] = bounds[i] + counts[i];
        }
        return bounds;
    }

    /** {@return the number of parts} */
    public int parts() {
        return parts;
    }

    /** {@return whether all parts are equally long} */
    public boolean isEven() {
        return bounds.length == 0;
    }

    /** {@return the first element of a part; for the number of parts, the element after the last} */
    public long from(int part) {
        return isEven() ? part * each : bounds[part];
    }

    /** {@return the elements of a part} */
    public long count(int part) {
        return isEven() ? each : bounds[part + 1] - bounds[part];
    }

    /** {@return the elements of all parts} */
    public long total() {
        return from(parts);
    }

    /** {@return a number that tells partitions apart and is the same in every process; 0 for a single part} */
    public long fingerprint() {
        if (parts <= 1) {
            return 0;
        }
        long hash = parts;
        for (int part = 0; part < parts; part++) {
            hash = Fingerprint.mix(hash, count(part));
        }
        return hash == 0 ? 1 : hash;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Partition partition
                && partition.parts == parts
                && partition.each == each
                && Arrays.equals(partition.bounds, bounds);
    }

    @Override
    public int hashCode() {
        return (parts * 31 + Long.hashCode(each)) * 31 + Arrays.hashCode(bounds);
    }

    /** {@return {@code 5} for one part, {@code [3, 0, 5]} for several} */
    @Override
    public String toString() {
        if (parts == 1) {
            return Long.toString(total());
        }
        String shown = LongStream.range(0, Math.min(parts, SHOWN))
                .mapToObj(part -> Long.toString(count((int) part)))
                .collect(Collectors.joining(", "));
        return "[" + shown + (parts > SHOWN ? ", … " + parts + " parts" : "") + "]";
    }
}
