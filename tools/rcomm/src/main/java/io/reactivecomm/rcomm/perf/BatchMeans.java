package io.reactivecomm.rcomm.perf;

import java.util.Arrays;
import java.util.List;

/**
 * Mean times of a round, one for each batch of rounds.
 *
 * @param micros in microseconds, ascending
 */
public record BatchMeans(double[] micros) {

    private static final double BYTES_PER_MICRO_IN_GBPS = 1e-3;

    public BatchMeans {
        if (micros.length == 0) {
            throw new IllegalArgumentException("no batch was measured: batches=0; measure at least one");
        }
        micros = micros.clone();
        Arrays.sort(micros);
    }

    /** {@return the means of a round in batches that were measured elsewhere} */
    public static BatchMeans of(List<Double> micros) {
        return new BatchMeans(micros.stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** {@return the middle one; of an even number, the mean of the two in the middle} */
    public double median() {
        return (micros[(micros.length - 1) / 2] + micros[micros.length / 2]) / 2;
    }

    public double min() {
        return micros[0];
    }

    public double max() {
        return micros[micros.length - 1];
    }

    /** {@return bytes / median time, in 10⁹ bytes a second} */
    double algorithmBandwidth(long bytes) {
        return bytes / median() * BYTES_PER_MICRO_IN_GBPS;
    }

    /** {@return the algorithm bandwidth times the operation's bus factor} */
    double busBandwidth(PerfOp op, int ranks, long bytes) {
        return algorithmBandwidth(bytes) * op.busFactor(ranks);
    }
}
