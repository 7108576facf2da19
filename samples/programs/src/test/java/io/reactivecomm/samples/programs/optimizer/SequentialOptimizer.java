package io.reactivecomm.samples.programs.optimizer;

import java.util.function.UnaryOperator;

/** The optimizers as their papers write them, for all ranks in one loop and in double arithmetic. Parameters without a variance do not move. */
abstract class SequentialOptimizer {

    static final double BETA1 = 0.9f;
    static final double BETA2 = 0.999f;

    final double[] x;
    final double[] m;
    final double[] v;

    SequentialOptimizer(float[] start) {
        x = doubles(start);
        m = new double[start.length];
        v = new double[start.length];
    }

    /** Takes a step. @param gradients of all ranks */
    abstract void step(double[][] gradients, double rate);

    /** Where ranks' parameters differ: makes them one. */
    void settle() {}

    static double[] doubles(float[] values) {
        double[] doubles = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            doubles[i] = values[i];
        }
        return doubles;
    }

    static double[] mean(double[][] values) {
        double[] mean = new double[values[0].length];
        for (double[] each : values) {
            for (int i = 0; i < mean.length; i++) {
                mean[i] += each[i] / values.length;
            }
        }
        return mean;
    }

    void addToMomentum(double[] g) {
        for (int i = 0; i < m.length; i++) {
            m[i] = BETA1 * m[i] + (1 - BETA1) * g[i];
        }
    }

    static void addSquares(double[] g, double[] v) {
        for (int i = 0; i < v.length; i++) {
            v[i] = BETA2 * v[i] + (1 - BETA2) * g[i] * g[i];
        }
    }

    /** {@return what each rank makes of the momentum with its own gradient} */
    double[][] local(double[][] gradients) {
        double[][] local = new double[gradients.length][m.length];
        for (int rank = 0; rank < gradients.length; rank++) {
            for (int i = 0; i < m.length; i++) {
                local[rank][i] = BETA1 * m[i] + (1 - BETA1) * gradients[rank][i];
            }
        }
        return local;
    }

    /** Adam, and after a warm-up 1-bit Adam. */
    static final class OfAdam extends SequentialOptimizer {

        private final long warmUp;
        private final double epsilon;
        private final UnaryOperator<double[][]> average;
        private long t;

        /** @param average of all ranks' momenta, as an array of one */
        OfAdam(float[] start, double epsilon, long warmUp, UnaryOperator<double[][]> average) {
            super(start);
            this.warmUp = warmUp;
            this.epsilon = epsilon;
            this.average = average;
        }

        @Override
        void step(double[][] gradients, double rate) {
            if (t++ < warmUp) {
                addToMomentum(mean(gradients));
                addSquares(mean(gradients), v);
            } else {
                double[] mean = average.apply(local(gradients))[0];
                for (int i = 0; i < m.length; i++) {
                    m[i] = v[i] == 0 ? 0 : mean[i];
                }
            }
            for (int i = 0; i < x.length; i++) {
                x[i] -= v[i] == 0 ? 0 : rate * m[i] / (Math.sqrt(v[i]) + epsilon);
            }
        }
    }

    /** LAMB, and after a warm-up 1-bit LAMB. */
    static final class OfLamb extends SequentialOptimizer {

        private final long warmUp;
        private final double epsilon;
        private final int[] bounds;
        private final UnaryOperator<double[][]> average;
        private final double[] c;
        private final double[] r;
        private final double[] s;
        private double[] w = {};
        private long t;

        /** @param bounds of the layers, beginning with 0 */
        OfLamb(float[] start, double epsilon, int[] bounds, long warmUp, UnaryOperator<double[][]> average) {
            super(start);
            this.warmUp = warmUp;
            this.epsilon = epsilon;
            this.bounds = bounds;
            this.average = average;
            this.c = new double[bounds.length - 1];
            this.r = new double[c.length];
            this.s = new double[c.length];
        }

        private double norm(double[] values, int layer) {
            double squares = 0;
            for (int i = bounds[layer]; i < bounds[layer + 1]; i++) {
                squares += values[i] * values[i];
            }
            return Math.sqrt(squares);
        }

        private double[] direction() {
            double[] d = new double[x.length];
            for (int i = 0; i < d.length; i++) {
                d[i] = v[i] == 0 ? 0 : m[i] / (Math.sqrt(v[i]) + epsilon);
            }
            return d;
        }

        @Override
        void step(double[][] gradients, double rate) {
            if (t < warmUp) {
                warmUp(mean(gradients), rate);
            } else {
                if (t == warmUp) {
                    freeze();
                }
                compressed(gradients, rate);
            }
            t++;
        }

        private void warmUp(double[] g, double rate) {
            addToMomentum(g);
            addSquares(g, v);
            double[] d = direction();
            for (int layer = 0; layer < c.length; layer++) {
                double ofX = norm(x, layer);
                double ofD = norm(d, layer);
                double now = ofX == 0 || ofD == 0 ? 1 : Math.clamp(ofX / ofD, 0.01, 10);
                c[layer] = 0.9 * c[layer] + (1 - 0.9) * now;
                move(layer, d, rate * now);
            }
        }

        private void move(int layer, double[] d, double length) {
            for (int i = bounds[layer]; i < bounds[layer + 1]; i++) {
                x[i] -= length * d[i];
            }
        }

        private void freeze() {
            w = v.clone();
            double mean = 0;
            for (int layer = 0; layer < c.length; layer++) {
                r[layer] = 1;
                s[layer] = norm(m, layer) / Math.sqrt(bounds[layer + 1] - bounds[layer]);
                mean += s[layer] / c.length;
            }
            for (int layer = 0; layer < c.length; layer++) {
                s[layer] = mean / s[layer];
            }
        }

        private void compressed(double[][] gradients, double rate) {
            double[] before = m.clone();
            double[][] scaled = local(gradients);
            for (double[] each : scaled) {
                scale(each, false);
            }
            double[] sum = average.apply(scaled)[0];
            scale(sum, true);
            double[] g = new double[m.length];
            for (int i = 0; i < m.length; i++) {
                m[i] = v[i] == 0 ? 0 : sum[i];
                g[i] = (m[i] - BETA1 * before[i]) / (1 - BETA1);
            }
            addSquares(g, w);
            double[] d = direction();
            for (int layer = 0; layer < c.length; layer++) {
                double within = Math.clamp(greatestRatio(layer), 0.5, 4);
                r[layer] = Math.clamp(within, 0.9 * r[layer], 1.1 * r[layer]);
                move(layer, d, rate * r[layer] * c[layer]);
            }
        }

        private double greatestRatio(int layer) {
            double greatest = 0;
            for (int i = bounds[layer]; i < bounds[layer + 1]; i++) {
                greatest = v[i] == 0
                        ? greatest
                        : Math.max(greatest, (Math.sqrt(v[i]) + epsilon) / (Math.sqrt(w[i]) + epsilon));
            }
            return greatest;
        }

        private void scale(double[] values, boolean back) {
            for (int layer = 0; layer < s.length; layer++) {
                for (int i = bounds[layer]; i < bounds[layer + 1]; i++) {
                    values[i] = back ? values[i] / s[layer] : values[i] * s[layer];
                }
            }
        }
    }
}
