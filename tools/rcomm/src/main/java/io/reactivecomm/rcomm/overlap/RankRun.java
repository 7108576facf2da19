package io.reactivecomm.rcomm.overlap;

import java.util.List;

/**
 * One rank's results of one run.
 *
 * @param hash of its parameters in the end
 * @param steps those that were measured, in their order
 */
record RankRun(long hash, List<StepTimes> steps) {}
