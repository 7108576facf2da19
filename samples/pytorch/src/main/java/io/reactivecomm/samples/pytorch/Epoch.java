package io.reactivecomm.samples.pytorch;

import java.util.Locale;

/**
 * The outcome of an epoch.
 *
 * @param number from 1
 * @param loss the average over all steps and ranks
 * @param accuracy the share of test images that are recognized
 */
record Epoch(int number, double loss, double accuracy) {

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "epoch %2d   loss %.4f   accuracy %.3f", number, loss, accuracy);
    }
}
