package io.reactivecomm.compression;

import java.util.Arrays;

/**
 * The Euclidean norm of many numbers over the root of their count, the same bits on every machine.
 *
 * <p><b>The order.</b> There are {@value #SUMS} sums of doubles, first zero. The square of number i, which is made and rounded in double,
 * is added to the sum i mod {@value #SUMS}, for i from 0 up. Then the upper half of the sums is added to the lower half, each to the one so
 * many places below: 16 to 0, 17 to 1 and so on. That is done again with the half that is left, until one is left, the sum of all. So
 * neither the parts nor the width of a vector matter.
 *
 * <p><b>Threads.</b> Each thread has its own.
 */
final class Norm {

    /** Enough that none waits for its last addition, on vectors of 512 bits, and few enough to stay in registers. A strip is a multiple. */
    static final int SUMS = 32;

    private static final ThreadScratch<Norm> THREADS = new ThreadScratch<>(Norm::new);

    /** The sums, of which the first is the one that is added to next. */
    final double[] sums = new double[SUMS];

    private final double[] turned = new double[SUMS];

    /** How many numbers were added before. */
    private long added;

    private Norm() {}

    /** {@return this thread's, of no numbers} */
    static Norm ofNone() {
        Norm norm = THREADS.get();
        Arrays.fill(norm.sums, 0);
        norm.added = 0;
        return norm;
    }

    /** Goes on to the sum of the number after so many that were added, to sums from the first on. */
    void turn(long count) {
        added += count;
        turnLeft((int) (count % SUMS));
    }

    private void turnLeft(int places) {
        if (places != 0) {
            System.arraycopy(sums, places, turned, 0, SUMS - places);
            System.arraycopy(sums, 0, turned, SUMS - places, places);
            System.arraycopy(turned, 0, sums, 0, SUMS);
        }
    }

    /** {@return the root of the sum of squares, divided by the root of the count, in double} */
    double overRootOfCount() {
        turnLeft((int) (-added % SUMS + SUMS) % SUMS);
        return Math.sqrt(folded(sums)) / Math.sqrt((double) added);
    }

    private static double folded(double[] sums) {
        for (int half = SUMS / 2; half > 0; half /= 2) {
            for (int i = 0; i < half; i++) {
                sums[i] += sums[half + i];
            }
        }
        return sums[0];
    }
}
