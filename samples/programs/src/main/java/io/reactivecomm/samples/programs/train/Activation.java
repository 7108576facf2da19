package io.reactivecomm.samples.programs.train;

/** The functions between and behind the layers: ReLU, and softmax with cross-entropy. The first three work in place. */
final class Activation {

    private Activation() {}

    /** Replaces what is negative by 0. */
    static void rectify(float[] values) {
        for (int i = 0; i < values.length; i++) {
            values[i] = Math.max(values[i], 0);
        }
    }

    /** Clears a gradient where {@link #rectify} let nothing through. */
    static void maskRectified(float[] gradient, float[] rectified) {
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] = rectified[i] > 0 ? gradient[i] : 0;
        }
    }

    /** Replaces the last layer's outputs by probabilities, and scores them. */
    static Score softmax(float[] outputs, int[] labels, int classes) {
        double loss = 0;
        long correct = 0;
        for (int sample = 0; sample < labels.length; sample++) {
            int from = sample * classes;
            int greatest = greatest(outputs, from, classes);
            double logSum = logSum(outputs, from, classes, outputs[from + greatest]);
            loss += logSum - outputs[from + labels[sample]];
            correct += greatest == labels[sample] ? 1 : 0;
            for (int i = from; i < from + classes; i++) {
                outputs[i] = (float) Math.exp(outputs[i] - logSum);
            }
        }
        return new Score(loss, correct, labels.length);
    }

    private static int greatest(float[] outputs, int from, int classes) {
        int greatest = 0;
        for (int i = 1; i < classes; i++) {
            greatest = outputs[from + i] > outputs[from + greatest] ? i : greatest;
        }
        return greatest;
    }

    /** The greatest output goes before the exponential, so that none overflows. */
    private static double logSum(float[] outputs, int from, int classes, float greatest) {
        double sum = 0;
        for (int i = from; i < from + classes; i++) {
            sum += Math.exp(outputs[i] - greatest);
        }
        return greatest + Math.log(sum);
    }

    /** Turns probabilities into the gradient of the summed loss by the outputs: minus 1 at the right class. */
    static float[] lossGradient(float[] probabilities, int[] labels, int classes) {
        float[] gradient = probabilities.clone();
        for (int sample = 0; sample < labels.length; sample++) {
            gradient[sample * classes + labels[sample]] -= 1;
        }
        return gradient;
    }
}
