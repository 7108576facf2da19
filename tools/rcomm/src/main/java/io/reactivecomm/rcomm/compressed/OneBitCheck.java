package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.Tensor;

/**
 * A check of the first step of one-bit compression, by the formulas of the paper: a rank's scale is the root of the mean of its squares, and each rank's
 * part of the sum, of signs times scales, is sent as signs again with a scale of its own.
 *
 * <p><b>Source.</b> Tang et al., <em>1-bit Adam</em>, 2021, section 4.
 *
 * @param inputs of all ranks
 */
record OneBitCheck(CompressionInputs inputs) implements ResultCheck {

    /** Scales are rounded to float, after sums in another order. */
    private static final double ROUNDING = 1e-6;

    private static final int BITS_OF_A_BYTE = 8;

    @Override
    public long wrong(Tensor result, boolean isFirst) {
        if (!isFirst) {
            return 0;
        }
        int ranks = inputs.ranks();
        long part = Math.ceilDiv(inputs.count(), (long) BITS_OF_A_BYTE * ranks) * BITS_OF_A_BYTE;
        double[] scales = scales(part * ranks);
        double[] partScales = new double[ranks];
        forEachSum(scales, (at, sums, n) -> {
            for (int i = 0; i < n; i++) {
                partScales[(int) ((at + i) / part)] += sums[i] * sums[i];
            }
        });
        addPadding(partScales, scales, part);
        long[] wrong = new long[1];
        float[] found = new float[CompressionInputs.STRIP];
        forEachSum(scales, (at, sums, n) -> {
            CompressionInputs.read(result, at, found, n);
            for (int i = 0; i < n; i++) {
                double scale = Math.sqrt(partScales[(int) ((at + i) / part)] / part);
                wrong[0] += isRight(found[i], sums[i], scale) ? 0 : 1;
            }
        });
        return wrong[0];
    }

    /** A sum that is nearly zero may have either sign. */
    private static boolean isRight(float found, double sum, double scale) {
        boolean isOfSize = Math.abs(Math.abs(found) - scale) <= ROUNDING * scale;
        return isOfSize && (Math.abs(sum) <= ROUNDING * scale || found > 0 == sum > 0);
    }

    private double[] scales(long padded) {
        double[] scales = new double[inputs.ranks()];
        float[] strip = new float[CompressionInputs.STRIP];
        for (int rank = 0; rank < scales.length; rank++) {
            double squares = 0;
            for (long at = 0; at < inputs.count(); at += CompressionInputs.STRIP) {
                int n = inputs.stripAt(at);
                inputs.read(rank, at, strip, n);
                for (int i = 0; i < n; i++) {
                    squares += (double) strip[i] * strip[i];
                }
            }
            scales[rank] = Math.sqrt(squares / padded);
        }
        return scales;
    }

    /** Padding is zeros, whose sign is plus. */
    private void addPadding(double[] partScales, double[] scales, long part) {
        double sum = 0;
        for (double scale : scales) {
            sum += scale;
        }
        for (int rank = 0; rank < partScales.length; rank++) {
            long present = Math.clamp(inputs.count() - rank * part, 0, part);
            partScales[rank] += (part - present) * sum * sum;
        }
    }

    /** Work on some sums of signs times scales, from an element on. */
    private interface SumWork {
        void on(long from, double[] sums, int n);
    }

    private void forEachSum(double[] scales, SumWork work) {
        float[] strip = new float[CompressionInputs.STRIP];
        double[] sums = new double[CompressionInputs.STRIP];
        for (long at = 0; at < inputs.count(); at += CompressionInputs.STRIP) {
            int n = inputs.stripAt(at);
            for (int rank = 0; rank < scales.length; rank++) {
                inputs.read(rank, at, strip, n);
                for (int i = 0; i < n; i++) {
                    sums[i] = (rank == 0 ? 0 : sums[i]) + (strip[i] >= 0 ? scales[rank] : -scales[rank]);
                }
            }
            work.on(at, sums, n);
        }
    }
}
