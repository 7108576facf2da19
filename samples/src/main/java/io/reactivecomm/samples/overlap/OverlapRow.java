package io.reactivecomm.samples.overlap;

import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * The figures of one run, with the names that the JSON has. Times are medians over all steps of all ranks.
 *
 * @param links how the ranks were linked
 * @param latencyMillis what was added to the links' own latency
 * @param variant when gradients were reduced
 * @param ranks how many took part
 * @param steps how many were measured
 * @param stepMillis a step
 * @param computeMillis how long of it the compute thread was busy
 * @param communicationMillis how long of it at least one reduction was in flight
 * @param exposedMillis how long of it the compute thread waited for reductions
 * @param hiddenShare 1 − exposed / communication, both summed over all steps of all ranks
 * @param medianHiddenShare the median over steps of the share that each hides by itself: one that waits for a rank whose core was taken
 *     away weighs no more than another
 * @param hash of the parameters in the end, on rank 0
 * @param errors on how many ranks they are others than on rank 0 in the first run
 */
record OverlapRow(
        String links,
        double latencyMillis,
        String variant,
        int ranks,
        int steps,
        double stepMillis,
        double computeMillis,
        double communicationMillis,
        double exposedMillis,
        double hiddenShare,
        double medianHiddenShare,
        String hash,
        long errors) {

    private static final double NANOS_PER_MILLI = 1e6;

    /** @param expected the hash that all ranks should have */
    static OverlapRow of(Run run, long expected) {
        return new OverlapRow(
                run.links(),
                run.latency().toNanos() / NANOS_PER_MILLI,
                run.variant().toString(),
                run.ranks().size(),
                run.ranks().getFirst().steps().size(),
                medianMillis(run, StepTimes::stepNanos),
                medianMillis(run, StepTimes::computeNanos),
                medianMillis(run, StepTimes::communicationNanos),
                medianMillis(run, StepTimes::exposedNanos),
                hiddenShare(steps(run).toList()),
                median(steps(run).mapToDouble(step -> hiddenShare(List.of(step)))),
                "%016x".formatted(run.ranks().getFirst().hash()),
                run.ranks().stream().filter(rank -> rank.hash() != expected).count());
    }

    private static Stream<StepTimes> steps(Run run) {
        return run.ranks().stream().flatMap(rank -> rank.steps().stream());
    }

    private static double medianMillis(Run run, ToLongFunction<StepTimes> time) {
        return median(steps(run).mapToDouble(step -> time.applyAsLong(step) / NANOS_PER_MILLI));
    }

    private static double median(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** {@return the share of the communication behind which the backward pass went on; 0 where it waited longer, or for nothing} */
    static double hiddenShare(List<StepTimes> steps) {
        double communication = steps.stream().mapToLong(StepTimes::communicationNanos).sum();
        double exposed = steps.stream().mapToLong(StepTimes::exposedNanos).sum();
        return communication == 0 ? 0 : Math.max(0, 1 - exposed / communication);
    }
}
