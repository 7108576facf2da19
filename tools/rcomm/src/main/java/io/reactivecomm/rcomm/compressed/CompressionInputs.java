package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.Tensor;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The elements that ranks put in: of mixed signs and magnitudes up to a rank's own, so that each rank can tell what all others have. They
 * are scattered, or matrices that are one column times one row, the same but for a factor on all ranks, whose sum is such a matrix again.
 *
 * @param count of the elements of each rank
 * @param columns of a matrix, or 0
 */
record CompressionInputs(int ranks, long count, long columns) {

    /** What is looked at together. */
    static final int STRIP = 4096;

    /** Tells columns apart from rows, and ranks from each other. */
    private static final int NEXT_SEED = 0x51ED_270B;

    /** {@return what ranks put in, of about so many elements: a matrix for who needs one} */
    static CompressionInputs of(CodecChoice codec, int ranks, long count) {
        return codec.needsMatrices() ? ofRankOne(ranks, count) : scattered(ranks, count);
    }

    /** {@return elements that have nothing in common} */
    static CompressionInputs scattered(int ranks, long count) {
        return new CompressionInputs(ranks, count, 0);
    }

    /** {@return a matrix that is nearly square, of as many elements or a few less} */
    static CompressionInputs ofRankOne(int ranks, long count) {
        long rows = Math.max(1, (long) Math.sqrt((double) count));
        return new CompressionInputs(ranks, count / rows * rows, count / rows);
    }

    /** {@return the dimensions of the tensor} */
    long[] shape() {
        return columns == 0 ? new long[] {count} : new long[] {count / columns, columns};
    }

    /** {@return no magnitude of that rank is larger} Any two sums of some of them with signs differ, on up to six ranks. */
    static float most(int rank) {
        return 1 + 0.42f * rank + 0.06f * rank * rank;
    }

    /** {@return no magnitude of a sum is larger} */
    double mostOfSum() {
        double most = 0;
        for (int rank = 0; rank < ranks; rank++) {
            most += most(rank);
        }
        return most;
    }

    /** Writes some elements of a rank into an array. */
    void read(int rank, long from, float[] strip, int n) {
        float most = most(rank);
        if (columns == 0) {
            for (int i = 0; i < n; i++) {
                strip[i] = most * noise((int) (from + i) + NEXT_SEED * rank);
            }
        } else {
            for (int i = 0; i < n; i++) {
                long at = from + i;
                strip[i] = most * (noise((int) (at / columns)) * noise((int) (at % columns) + NEXT_SEED));
            }
        }
    }

    /** {@return a number of at least -1 and less than 1, of 24 bits} */
    private static float noise(int seed) {
        int mixed = seed * 0x9E37_79B1;
        mixed = (mixed ^ mixed >>> 15) * 0x2C1B_3C6D;
        mixed = (mixed ^ mixed >>> 12) * 0x297A_2D39;
        return (mixed ^ mixed >>> 15) / (float) (1L << 31);
    }

    /** Writes the elements of a rank over a tensor. */
    void fill(int rank, Tensor tensor) {
        float[] strip = new float[STRIP];
        for (long at = 0; at < count; at += STRIP) {
            int n = stripAt(at);
            read(rank, at, strip, n);
            MemorySegment.copy(strip, 0, tensor.segment(), ValueLayout.JAVA_FLOAT, at * Float.BYTES, n);
        }
    }

    /** Reads some elements of a result. */
    static void read(Tensor result, long from, float[] strip, int n) {
        MemorySegment.copy(result.segment(), ValueLayout.JAVA_FLOAT, from * Float.BYTES, strip, 0, n);
    }

    /** {@return how many elements the strip has that begins there} */
    int stripAt(long at) {
        return (int) Math.min(STRIP, count - at);
    }

    /** Adds up some elements of all ranks, from the left in rank order with one rounding a step, as the library does. */
    void sum(long from, float[] sum, float[] scratch, int n) {
        read(0, from, sum, n);
        for (int rank = 1; rank < ranks; rank++) {
            read(rank, from, scratch, n);
            for (int i = 0; i < n; i++) {
                sum[i] += scratch[i];
            }
        }
    }
}
