package io.reactivecomm.samples.programs.train;

/**
 * The measure of how well a network met the labels of some samples. Scores of disjoint samples add up.
 *
 * @param lossSum the cross-entropy, summed over the samples
 * @param correct how many got their greatest probability at the right class
 * @param samples how many there were
 */
record Score(double lossSum, long correct, long samples) {

    double meanLoss() {
        return lossSum / samples;
    }

    double accuracy() {
        return (double) correct / samples;
    }
}
