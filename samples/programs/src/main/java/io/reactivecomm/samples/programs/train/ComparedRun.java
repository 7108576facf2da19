package io.reactivecomm.samples.programs.train;

import java.util.List;

/**
 * The outcome of one of the trainings that are compared, over all ranks.
 *
 * @param method a codec, an optimizer, or {@link ComparedTraining#UNCOMPRESSED}
 * @param feedsBack whether what encoding lost was added to the next step; true of what lost nothing
 * @param reference the method that it is compared with
 * @param loss of the training images, at the end
 * @param accuracy of the test images, at the end
 * @param sentBytes what a rank sent in steps, as a mean over ranks
 * @param ratio how many times as much the reference sent
 * @param bitEqual whether all ranks have the same parameters, bit by bit
 * @param hash of rank 0's parameters
 * @param curve loss by bytes
 */
record ComparedRun(
        String method,
        boolean feedsBack,
        String reference,
        double loss,
        double accuracy,
        long sentBytes,
        double ratio,
        boolean bitEqual,
        String hash,
        List<Point> curve) {

    /** {@return its name in tables and charts} */
    String label() {
        return method + (feedsBack ? "" : ", no feedback");
    }

    /**
     * A point of the curve, after an epoch.
     *
     * @param epoch which one, from 1
     * @param sentBytes what a rank has sent until then, as a mean over ranks
     * @param loss of the training images
     * @param accuracy of the test images
     */
    record Point(int epoch, long sentBytes, double loss, double accuracy) {}
}
