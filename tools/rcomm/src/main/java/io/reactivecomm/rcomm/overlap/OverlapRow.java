package io.reactivecomm.rcomm.overlap;

import java.util.HexFormat;
import java.util.function.ToLongFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * The figures of one run, with the names that the JSON has. Times are medians over all steps of all ranks.
 *
 * <p>What is to be hidden is the communication as it is where nothing overlaps, in the run over the same links that reduces after the
 * backward pass. The run's own will not do: overlap lengthens the time in flight, since reductions then wait for cores and for ranks that
 * still compute, and the longer they wait the more would seem hidden.
 *
 * @param links how the ranks were linked
 * @param latencyMillis what was added to the links' own latency
 * @param bitsPerSecond what a rank sends at most, and receives at most; 0 for no limit
 * @param buckets what they sent: plain elements, or the name of a codec
 * @param variant when gradients were reduced
 * @param ranks how many took part
 * @param steps how many were measured
 * @param stepMillis a step
 * @param computeMillis how long of it the compute thread was busy
 * @param communicationMillis how long of it at least one reduction was in flight
 * @param exposedMillis how long it went on from the end of the backward pass until the last reduction had come; the compute thread may
 *     update parameters meanwhile
 * @param hiddenShare 1 − exposed / communication after the backward pass, both of the average step. Negative where more is waited for
 * @param medianHiddenShare the same of the two median times: a step that waits for a rank whose core was taken away weighs no more than
 *     another
 * @param savedShare by how much the step is shorter than one that reduces after the backward pass, divided by the communication there;
 *     medians. Negative where it is longer
 * @param shorterShare by how much the step is shorter than with plain buckets, over the same links and in the same variant, divided by that one; medians
 * @param hash of the parameters in the end, on rank 0
 * @param errors on how many ranks they are others than on rank 0 in the first run with buckets of that kind
 */
record OverlapRow(
        String links,
        double latencyMillis,
        long bitsPerSecond,
        String buckets,
        String variant,
        int ranks,
        int steps,
        double stepMillis,
        double computeMillis,
        double communicationMillis,
        double exposedMillis,
        double hiddenShare,
        double medianHiddenShare,
        double savedShare,
        double shorterShare,
        String hash,
        long errors) {

    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * Makes the row of a run.
     *
     * @param reference the run over the same links that reduces the same after the backward pass; itself if it is that one
     * @param plain the same run with plain buckets; itself if it is that one
     * @param expected the hash that all ranks should have
     */
    static OverlapRow of(OverlapRun run, OverlapRun reference, OverlapRun plain, long expected) {
        double communication = medianMillis(reference, StepTimes::communicationNanos);
        double exposed = medianMillis(run, StepTimes::exposedNanos);
        double step = medianMillis(run, StepTimes::stepNanos);
        double saved = medianMillis(reference, StepTimes::stepNanos) - step;
        return new OverlapRow(
                run.links(),
                run.shape().latency().toNanos() / NANOS_PER_MILLI,
                run.shape().rate().bitsPerSecond(),
                run.contents().toString(),
                run.variant().toString(),
                run.ranks().size(),
                run.ranks().getFirst().steps().size(),
                step,
                medianMillis(run, StepTimes::computeNanos),
                medianMillis(run, StepTimes::communicationNanos),
                exposed,
                hiddenShare(average(run, StepTimes::exposedNanos), average(reference, StepTimes::communicationNanos)),
                hiddenShare(exposed, communication),
                share(saved, communication),
                1 - step / medianMillis(plain, StepTimes::stepNanos),
                HexFormat.of().toHexDigits(run.ranks().getFirst().hash()),
                run.ranks().stream().filter(rank -> rank.hash() != expected).count());
    }

    private static Stream<StepTimes> steps(OverlapRun run) {
        return run.ranks().stream().flatMap(rank -> rank.steps().stream());
    }

    private static double medianMillis(OverlapRun run, ToLongFunction<StepTimes> time) {
        return median(steps(run).mapToDouble(step -> time.applyAsLong(step) / NANOS_PER_MILLI));
    }

    private static double average(OverlapRun run, ToLongFunction<StepTimes> time) {
        return steps(run).mapToLong(time).average().orElse(0);
    }

    private static double median(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** {@return the share of the communication that is not exposed; 0 if there is none} */
    static double hiddenShare(double exposed, double communication) {
        return communication == 0 ? 0 : 1 - share(exposed, communication);
    }

    private static double share(double part, double communication) {
        return communication == 0 ? 0 : part / communication;
    }
}
