package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;

/**
 * A check of sums that are off by so much at most.
 *
 * <p>A codec of bound β loses at most β times the largest magnitude M that it encodes. With what earlier steps have lost fed back, M grows to
 * M / (1 − β), and a result lacks what this step has lost, and has what the step before had: twice as much.
 *
 * @param inputs of all ranks
 * @param atFirst by how much a sum is off in a step into which nothing is fed back
 * @param later the same of other steps
 */
record BoundedCheck(CompressionInputs inputs, double atFirst, double later) implements ResultCheck {

    /** Sums of a few thousand products in float, as a fraction of the largest element. */
    private static final double ROUNDING_OF_FACTORS = 1e-4;

    /** {@return that of sums which are rounded in rank order, bit by bit} */
    static BoundedCheck exact(CompressionInputs inputs) {
        return new BoundedCheck(inputs, 0, 0);
    }

    /** {@return that of a codec in two steps: what ranks lose, and what is lost of the sum} */
    static BoundedCheck ofCodec(CompressionInputs inputs, Codec codec) {
        double bound = codec.errorBound();
        double most = inputs.mostOfSum();
        double fedBack = most / (1 - bound);
        return new BoundedCheck(
                inputs,
                bound * most + bound * (1 + bound) * most,
                2 * (bound * fedBack + bound * (1 + bound) * fedBack / (1 - bound)));
    }

    /** {@return that of PowerSGD, which finds a matrix of rank one exactly} */
    static BoundedCheck ofFactors(CompressionInputs inputs) {
        double rounding = ROUNDING_OF_FACTORS * inputs.mostOfSum();
        return new BoundedCheck(inputs, rounding, rounding);
    }

    @Override
    public long wrong(Tensor result, boolean isFirst) {
        double most = isFirst ? atFirst : later;
        float[] expected = new float[CompressionInputs.STRIP];
        float[] found = new float[CompressionInputs.STRIP];
        long wrong = 0;
        for (long at = 0; at < inputs.count(); at += CompressionInputs.STRIP) {
            int n = inputs.stripAt(at);
            inputs.sum(at, expected, found, n);
            CompressionInputs.read(result, at, found, n);
            for (int i = 0; i < n; i++) {
                wrong += Math.abs((double) found[i] - expected[i]) <= most ? 0 : 1;
            }
        }
        return wrong;
    }
}
