package io.reactivecomm.samples.programs.optimizer;

/** The one-bit average with error feedback of 1-bit Adam, for all ranks in one loop and in double arithmetic. */
final class SequentialOneBit {

    private final int ranks;
    private final int count;
    private final boolean[] masked;
    private final double[][] workerErrors;
    private final double[][] serverErrors;

    /** @param masked elements that are zeros in each result */
    SequentialOneBit(int ranks, int count, boolean[] masked) {
        this.ranks = ranks;
        this.count = count;
        this.masked = masked;
        int padded = (count + 8 * ranks - 1) / (8 * ranks) * 8 * ranks;
        this.workerErrors = new double[ranks][padded];
        this.serverErrors = new double[ranks][padded / ranks];
    }

    double[] average(double[][] values) {
        int padded = workerErrors[0].length;
        double[] mean = new double[padded];
        for (int rank = 0; rank < ranks; rank++) {
            double[] corrected = workerErrors[rank];
            for (int i = 0; i < count; i++) {
                corrected[i] += values[rank][i];
            }
            double scale = size(corrected);
            for (int i = 0; i < padded; i++) {
                double sent = corrected[i] >= 0 ? scale : -scale;
                mean[i] += sent / ranks;
                corrected[i] -= sent;
            }
        }
        return served(mean);
    }

    private double[] served(double[] mean) {
        int part = serverErrors[0].length;
        double[] result = new double[count];
        for (int rank = 0; rank < ranks; rank++) {
            double[] corrected = serverErrors[rank];
            for (int i = 0; i < part; i++) {
                corrected[i] += mean[rank * part + i];
            }
            double scale = size(corrected);
            for (int i = 0; i < part; i++) {
                double sent = corrected[i] >= 0 ? scale : -scale;
                corrected[i] -= sent;
                if (rank * part + i < count && !masked[rank * part + i]) {
                    result[rank * part + i] = sent;
                }
            }
        }
        return result;
    }

    private static double size(double[] values) {
        double squares = 0;
        for (double value : values) {
            squares += value * value;
        }
        return Math.sqrt(squares / values.length);
    }
}
