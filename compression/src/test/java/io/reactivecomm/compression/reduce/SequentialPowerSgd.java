package io.reactivecomm.compression.reduce;

import java.util.Random;

/** All ranks of PowerSGD over one matrix in one loop of doubles, without any group: what its steps are compared with, up to rounding. */
final class SequentialPowerSgd {

    private final PowerSgdOptions options;
    private final int rows;
    private final int columns;
    private final int rank;
    private final double[][][] errors;
    private double[][] q;
    private long step;

    SequentialPowerSgd(PowerSgdOptions options, int rows, int columns, int ranks) {
        this.options = options;
        this.rows = rows;
        this.columns = columns;
        this.rank = Math.min(options.rank(), Math.min(rows, columns));
        this.errors = new double[ranks][rows][columns];
        this.q = new double[columns][rank];
        this.step = options.startStep();
    }

    /** {@return the sum over ranks, each rank's elements multiplied by the weight} */
    double[] step(float[][] inputs, double weight) {
        double[][] start = options.warmStart() && step > options.startStep() ? q : drawn();
        step++;
        orthogonalize(start);
        double[][][] matrices = new double[inputs.length][][];
        for (int i = 0; i < inputs.length; i++) {
            matrices[i] = sum(matrix(inputs[i]), errors[i], 1);
        }
        double[][] p = new double[rows][rank];
        for (double[][] each : matrices) {
            p = sum(p, product(each, start), weight);
        }
        orthogonalize(p);
        q = new double[columns][rank];
        for (int i = 0; i < inputs.length; i++) {
            double[][] own = product(transposed(matrices[i]), p);
            q = sum(q, own, weight);
            if (options.feedsBack()) {
                errors[i] = sum(matrices[i], product(p, transposed(own)), -1);
            }
        }
        return flat(product(p, transposed(q)));
    }

    /** The draw of the first matrix: column by column, from a seed for each step. */
    private double[][] drawn() {
        Random dice = new Random((options.seed() * 0x9E37_79B9_7F4A_7C15L + step) * 0xD134_2543_DE82_EF95L);
        double[][] drawn = new double[columns][rank];
        for (int k = 0; k < rank; k++) {
            for (int j = 0; j < columns; j++) {
                drawn[j][k] = (float) dice.nextGaussian();
            }
        }
        return drawn;
    }

    private static void orthogonalize(double[][] a) {
        for (int k = 0; k < a[0].length; k++) {
            for (int other = 0; other < k; other++) {
                double along = 0;
                for (double[] row : a) {
                    along += row[k] * row[other];
                }
                for (double[] row : a) {
                    row[k] -= along * row[other];
                }
            }
            double squares = 0;
            for (double[] row : a) {
                squares += row[k] * row[k];
            }
            for (double[] row : a) {
                row[k] /= Math.sqrt(squares) + 1e-8;
            }
        }
    }

    private double[][] matrix(float[] elements) {
        double[][] matrix = new double[rows][columns];
        for (int i = 0; i < elements.length; i++) {
            matrix[i / columns][i % columns] = elements[i];
        }
        return matrix;
    }

    private static double[][] sum(double[][] a, double[][] b, double by) {
        double[][] sum = new double[a.length][a[0].length];
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j < a[0].length; j++) {
                sum[i][j] = a[i][j] + by * b[i][j];
            }
        }
        return sum;
    }

    private static double[][] product(double[][] a, double[][] b) {
        double[][] product = new double[a.length][b[0].length];
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j < b[0].length; j++) {
                for (int k = 0; k < b.length; k++) {
                    product[i][j] += a[i][k] * b[k][j];
                }
            }
        }
        return product;
    }

    private static double[][] transposed(double[][] a) {
        double[][] transposed = new double[a[0].length][a.length];
        for (int i = 0; i < a.length; i++) {
            for (int j = 0; j < a[0].length; j++) {
                transposed[j][i] = a[i][j];
            }
        }
        return transposed;
    }

    private static double[] flat(double[][] a) {
        double[] flat = new double[a.length * a[0].length];
        for (int i = 0; i < flat.length; i++) {
            flat[i] = a[i / a[0].length][i % a[0].length];
        }
        return flat;
    }
}
