package io.reactivecomm.samples.programs.train;

import java.time.Duration;

/**
 * The state of training after an epoch, over all ranks; the times are this rank's.
 *
 * @param epoch which one, from 1
 * @param train the score on all training images
 * @param test the score on all test images
 * @param duration how long the epoch's steps took
 * @param exposed how much of that was communication which compute did not hide: time from the end of each backward pass until the last
 *     gradient returned
 * @param sentBytes what this rank sent in those steps
 */
record EpochReport(int epoch, Score train, Score test, Duration duration, Duration exposed, long sentBytes) {}
