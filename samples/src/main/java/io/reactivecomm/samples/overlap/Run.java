package io.reactivecomm.samples.overlap;

import java.time.Duration;
import java.util.List;

/**
 * One run, as all ranks saw it.
 *
 * @param links how the ranks were linked, to be shown
 * @param latency what was added to each link's own
 * @param ranks what each rank has of it; index = rank
 */
record Run(String links, Duration latency, Variant variant, List<RankRun> ranks) {

    /** {@return its name, to be shown} */
    String title() {
        return links + ", " + variant;
    }
}
