package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.samples.programs.train.Digits;
import java.util.List;
import java.util.Locale;

/** Training of a network on the host's processors. */
record HostTrainer(OverlapOptions options, Digits data) implements RunTrainer {

    @Override
    public RankRun train(ProcessGroup group, Variant variant, Contents contents) {
        try (TrainingRun training = new TrainingRun(group, variant, contents, options, data)) {
            return training.train();
        }
    }

    @Override
    public List<String> title(OverlapOptions options, int ranks) {
        return List.of(String.format(
                Locale.ROOT,
                "# training a %s MLP: %d ranks, %d images a step, buckets of at most %.2f MiB; %d steps a run, after %d to warm up",
                options.network(),
                ranks,
                options.batch(),
                options.bucketBytes() / (double) (1 << 20),
                options.steps(),
                options.warmUpSteps()));
    }

    @Override
    public List<String> notes(int ranks) {
        int cores = Runtime.getRuntime().availableProcessors();
        return List.of(
                String.format(
                        Locale.ROOT,
                        "# %d ranks on %d %s: a rank computes on one thread and communicates on others. Where they have no core each they compete,",
                        ranks,
                        cores,
                        cores == 1 ? "core" : "cores"),
                "# and what is hidden makes the compute longer instead. Latency needs no core: what is hidden of it is saved.");
    }
}
