package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.samples.programs.world.RankDevices;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Kernels in the place of a network's passes, on a GPU for each rank, or its double.
 *
 * @param devices of the ranks
 * @param backward how long the backward pass takes
 */
record DeviceTrainer(OverlapOptions options, RankDevices devices, Duration backward) implements RunTrainer {

    private static final double NANOS_PER_MILLI = 1e6;

    /** Turns of kernels are counted by an int. */
    private static final Duration LONGEST = Duration.ofSeconds(1);

    /** The links, which is what carries gradients here. */
    static final String LINKS = "nccl";

    DeviceTrainer {
        if (!backward.isPositive() || backward.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("length of the backward pass is out of range: backward=" + backward
                    + "; give a positive one up to " + LONGEST + ", such as 20ms");
        }
    }

    @Override
    public RankRun train(ProcessGroup group, Variant variant, Contents contents) {
        try (DeviceRun run = DeviceRun.open(group, devices.own().apply(group), variant, options, backward)) {
            return run.train();
        }
    }

    @Override
    public List<String> title(OverlapOptions options, int ranks) {
        return List.of(
                String.format(
                        Locale.ROOT,
                        "# kernels for a backward pass of %.1f ms over the layers of %s: %d ranks, buckets of at most %.2f MiB;"
                                + " %d steps a run, after %d to warm up",
                        backward.toNanos() / NANOS_PER_MILLI,
                        options.network(),
                        ranks,
                        options.bucketBytes() / (double) (1 << 20),
                        options.steps(),
                        options.warmUpSteps()),
                "# device: " + devices.description());
    }

    @Override
    public List<String> notes(int ranks) {
        return List.of(
                "# Times are those of events on the device: before and after each layer's kernel on the compute stream, and, of the communication",
                "# stream, where a bucket is whole and where it is reduced. Kernels keep the processors busy, and leave memory alone.");
    }
}
