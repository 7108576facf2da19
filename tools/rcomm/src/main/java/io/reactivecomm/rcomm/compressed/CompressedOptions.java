package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import java.time.Duration;
import java.util.List;

/**
 * The choice of what to measure, and how often.
 *
 * @param codecs ways to compress
 * @param sizes of tensors in bytes
 * @param shape of the slow links, over which all is measured once more; or none
 * @param timing how often and how long
 */
record CompressedOptions(List<CodecChoice> codecs, List<Long> sizes, LinkShape shape, Timing timing) {

    /** A tensor has an element at least; checks count elements in an {@code int}. */
    private static final long LEAST_BYTES = Float.BYTES;

    private static final long MOST_BYTES = (long) Float.BYTES * Integer.MAX_VALUE;

    /**
     * The number and the length of measurements.
     *
     * @param rounds in each of which plain and compressed calls are made in turn
     * @param batchTime about how long the calls of one kind in a round take together; one call at least
     * @param warmUp how long each case runs before it is measured
     */
    record Timing(int rounds, Duration batchTime, Duration warmUp) {

        Timing {
            if (rounds < 1) {
                throw new IllegalArgumentException(
                        "number of rounds is not positive: rounds=" + rounds + "; measure at least one");
            }
            if (batchTime.isNegative() || warmUp.isNegative()) {
                throw new IllegalArgumentException("a time is negative: batchTime=" + batchTime + ", warmUp=" + warmUp
                        + "; 100 ms and 5 s are usual");
            }
        }
    }

    CompressedOptions {
        codecs = List.copyOf(codecs);
        sizes = List.copyOf(sizes);
        if (sizes.stream().anyMatch(size -> size < LEAST_BYTES || size > MOST_BYTES)) {
            throw new IllegalArgumentException(
                    "a size is out of range: bytes=" + sizes + "; give " + LEAST_BYTES + " to " + MOST_BYTES);
        }
    }
}
