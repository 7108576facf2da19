package io.reactivecomm.samples.bench.overlap;

import java.time.Duration;
import java.util.List;

/**
 * One run, as all ranks saw it.
 *
 * @param links how the ranks were linked, to be shown
 * @param latency what was added to each link's own
 * @param ranks what each rank has of it; index = rank
 */
record OverlapRun(String links, Duration latency, Variant variant, List<RankRun> ranks) {

    /** {@return whether it reduced after the backward pass, over the links of that run} */
    boolean isReferenceOf(OverlapRun run) {
        return variant == Variant.REDUCE_AFTER_BACKWARD && links.equals(run.links) && latency.equals(run.latency);
    }

    /** {@return its name, to be shown} */
    String title() {
        return links + ", " + variant;
    }
}
