package io.reactivecomm.samples.programs.optimizer;

import java.util.Set;
import java.util.function.UnaryOperator;

/** Algorithm 1 of 0/1 Adam, for all ranks in one loop and in double arithmetic: each has its own x, m and u between the steps in which they meet. */
final class SequentialZeroOneAdam extends SequentialOptimizer {

    private final double epsilon;
    private final Set<Long> variances;
    private final Set<Long> meetings;
    private final UnaryOperator<double[][]> average;
    private final double[][] momenta;
    private final double[][] u;
    private double rates;
    private long t;

    /**
     * All ranks.
     *
     * @param variances the steps of T_v
     * @param meetings the steps of T_u
     */
    SequentialZeroOneAdam(
            float[] start,
            double epsilon,
            int ranks,
            Set<Long> variances,
            Set<Long> meetings,
            UnaryOperator<double[][]> average) {
        super(start);
        this.epsilon = epsilon;
        this.variances = variances;
        this.meetings = meetings;
        this.average = average;
        this.momenta = new double[ranks][start.length];
        this.u = new double[ranks][start.length];
    }

    @Override
    void step(double[][] gradients, double rate) {
        if (variances.contains(t)) {
            addSquares(mean(gradients), v);
        }
        for (int rank = 0; rank < u.length; rank++) {
            for (int i = 0; i < x.length; i++) {
                momenta[rank][i] = BETA1 * momenta[rank][i] + (1 - BETA1) * gradients[rank][i];
                u[rank][i] += rate * momenta[rank][i];
            }
        }
        rates += rate;
        if (meetings.contains(t)) {
            settle();
        }
        t++;
    }

    /** What ranks did alone is taken back: x is still that of the last meeting. */
    @Override
    void settle() {
        if (rates == 0) {
            return;
        }
        double[] mean = average.apply(u)[0];
        for (int i = 0; i < x.length; i++) {
            x[i] -= v[i] == 0 ? 0 : mean[i] / Math.sqrt(v[i] + epsilon);
            for (int rank = 0; rank < u.length; rank++) {
                momenta[rank][i] = v[i] == 0 ? 0 : mean[i] / rates;
                u[rank][i] = 0;
            }
        }
        rates = 0;
    }
}
