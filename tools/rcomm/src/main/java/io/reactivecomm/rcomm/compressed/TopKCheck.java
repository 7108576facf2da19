package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.Tensor;

/**
 * A check of the first step of top-k: of each rank's elements those above a magnitude are added up in rank order, bit by bit. That magnitude is
 * counted out. An element that has it exactly may be sent or not.
 *
 * @param inputs of all ranks
 * @param density the share of elements that is kept
 */
record TopKCheck(CompressionInputs inputs, double density) implements ResultCheck {

    private static final int MAGNITUDE_BITS = 31;

    /** A magnitude's bits are counted in two passes. */
    private static final int LOWER_BITS = 15;

    private static final int ELEMENTS_OF_WHOLE_BYTES = 8;

    @Override
    public long wrong(Tensor result, boolean isFirst) {
        if (!isFirst) {
            return 0;
        }
        int[] least = leastMagnitudes();
        float[] strip = new float[CompressionInputs.STRIP];
        float[] found = new float[CompressionInputs.STRIP];
        long wrong = 0;
        for (long at = 0; at < inputs.count(); at += CompressionInputs.STRIP) {
            int n = inputs.stripAt(at);
            float[] expected = new float[n];
            boolean[] isEither = new boolean[n];
            for (int rank = 0; rank < least.length; rank++) {
                inputs.read(rank, at, strip, n);
                add(strip, least[rank], expected, isEither);
            }
            CompressionInputs.read(result, at, found, n);
            for (int i = 0; i < n; i++) {
                wrong += isEither[i] || found[i] == expected[i] ? 0 : 1;
            }
        }
        return wrong;
    }

    private static void add(float[] strip, int least, float[] expected, boolean[] isEither) {
        for (int i = 0; i < expected.length; i++) {
            int magnitude = magnitude(strip[i]);
            isEither[i] |= magnitude == least;
            expected[i] += magnitude > least ? strip[i] : 0;
        }
    }

    private static int magnitude(float value) {
        return Float.floatToRawIntBits(value) & Integer.MAX_VALUE;
    }

    private int[] leastMagnitudes() {
        long multiple = (long) ELEMENTS_OF_WHOLE_BYTES * inputs.ranks();
        long padded = Math.ceilDiv(inputs.count(), multiple) * multiple;
        long kept = Math.max(1, (long) Math.rint(density * padded));
        int[] least = new int[inputs.ranks()];
        for (int rank = 0; rank < least.length; rank++) {
            int[] upper = new int[1 << MAGNITUDE_BITS - LOWER_BITS];
            count(rank, magnitude -> upper[magnitude >>> LOWER_BITS]++);
            long[] left = {kept};
            int bucket = bucketOf(upper, left);
            int[] lower = new int[1 << LOWER_BITS];
            count(
                    rank,
                    magnitude ->
                            lower[magnitude & (1 << LOWER_BITS) - 1] += magnitude >>> LOWER_BITS == bucket ? 1 : 0);
            least[rank] = bucket << LOWER_BITS | bucketOf(lower, left);
        }
        return least;
    }

    /** {@return the bucket in which the last lies that is kept, counted from above} @param left how many are kept, then how many of that bucket */
    private static int bucketOf(int[] counts, long[] left) {
        for (int bucket = counts.length - 1; bucket > 0; bucket--) {
            if (counts[bucket] >= left[0]) {
                return bucket;
            }
            left[0] -= counts[bucket];
        }
        return 0;
    }

    /** A place where magnitudes are counted. */
    private interface Counter {
        void add(int magnitude);
    }

    private void count(int rank, Counter counter) {
        float[] strip = new float[CompressionInputs.STRIP];
        for (long at = 0; at < inputs.count(); at += CompressionInputs.STRIP) {
            int n = inputs.stripAt(at);
            inputs.read(rank, at, strip, n);
            for (int i = 0; i < n; i++) {
                counter.add(magnitude(strip[i]));
            }
        }
    }
}
