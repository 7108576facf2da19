package io.reactivecomm.compression;

import java.lang.ref.Reference;
import java.util.Arrays;

/**
 * The Euclidean norm of many numbers over the root of their count, the same bits on every machine.
 *
 * <p><b>The order.</b> There are {@value #SUMS} sums of doubles, first zero. The square of number i, which is made and rounded in double,
 * is added to the sum i mod {@value #SUMS}, for i from 0 up. Then the upper half of the sums is added to the lower half, each to the one so
 * many places below: 16 to 0, 17 to 1 and so on. That is done again with the half that is left, until one is left, the sum of all. So
 * neither the parts nor the width of a vector matter.
 */
final class Norm {

    /** Enough that none waits for its last addition, on vectors of 512 bits, and few enough to stay in registers. A strip is a multiple. */
    static final int SUMS = 32;

    private static final ThreadLocal<double[]> THREADS_SUMS = ThreadLocal.withInitial(() -> new double[SUMS]);

    private Norm() {}

    /** {@return the root of the sum of squares, divided by the root of the count: in double, and rounded once to the strip's arithmetic} */
    static double overRootOfCount(Source source, Strip strip) {
        double[] sums = THREADS_SUMS.get();
        Arrays.fill(sums, 0);
        for (long at = addDirectly(source, sums); at < source.count(); at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, source.count() - at);
            source.load(strip, at, n);
            strip.addSquares(sums, n);
        }
        return strip.rounded(Math.sqrt(folded(sums)) / Math.sqrt((double) source.count()));
    }

    /** {@return how many of the first numbers were added on vectors, whole strips} */
    private static long addDirectly(Source source, double[] sums) {
        if (!DirectLoop.ADD_SQUARES.isReady() || !source.isDirect(null, null)) {
            return 0;
        }
        long end = source.present(0, source.count()) / Strip.LENGTH * Strip.LENGTH;
        for (long at = 0; at < end; at += Strip.LENGTH) {
            FloatVectors.addSquares(source.valueAddress(at), source.beforeAddress(at), sums, Strip.LENGTH);
        }
        // Memory that the collector frees stays until here.
        Reference.reachabilityFence(source);
        return end;
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
