package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.Tensor;

/**
 * A check of the first step of a threshold: each rank's elements that reach it are added up as plus or minus the threshold, in rank order, bit by bit.
 *
 * @param inputs of all ranks
 * @param tau the threshold
 */
record ThresholdCheck(CompressionInputs inputs, float tau) implements ResultCheck {

    @Override
    public long wrong(Tensor result, boolean isFirst) {
        if (!isFirst) {
            return 0;
        }
        float[] strip = new float[CompressionInputs.STRIP];
        float[] found = new float[CompressionInputs.STRIP];
        long wrong = 0;
        for (long at = 0; at < inputs.count(); at += CompressionInputs.STRIP) {
            int n = inputs.stripAt(at);
            float[] expected = new float[n];
            for (int rank = 0; rank < inputs.ranks(); rank++) {
                inputs.read(rank, at, strip, n);
                add(strip, expected);
            }
            CompressionInputs.read(result, at, found, n);
            for (int i = 0; i < n; i++) {
                wrong += found[i] == expected[i] ? 0 : 1;
            }
        }
        return wrong;
    }

    private void add(float[] strip, float[] expected) {
        for (int i = 0; i < expected.length; i++) {
            expected[i] += strip[i] >= tau ? tau : strip[i] <= -tau ? -tau : 0;
        }
    }
}
