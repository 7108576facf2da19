package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.samples.programs.train.Digits;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The choice of what is trained, and for how long. The same on all ranks.
 *
 * @param steps of each run that are measured
 * @param hidden the widths of the hidden layers, from the input on
 * @param batch images of a step, over all ranks together
 * @param bucketBytes what a bucket holds at most, unless a single layer is larger
 * @param algorithm which one reduces the buckets, or empty
 * @param shape of the links in the second half; none to leave that out
 * @param contents what buckets send there in two more runs; plain to leave those out
 * @param seed decides the initial parameters and the order of the images
 */
record OverlapOptions(
        int steps,
        List<Integer> hidden,
        int batch,
        long bucketBytes,
        String algorithm,
        LinkShape shape,
        Contents contents,
        long seed) {

    /** Times of all steps travel to rank 0 as one object. */
    static final int MOST_STEPS = 5000;

    /** In 85 bytes each they stay within the largest object that a rank takes, 16 MiB. */
    static final int MOST_SPANS = 150_000;

    /** A tenth as many steps as are measured go before, for the compiler. */
    private static final int STEPS_FOR_A_WARM_UP = 10;

    OverlapOptions {
        hidden = List.copyOf(hidden);
        require(
                steps >= 1 && steps <= MOST_STEPS,
                "number of steps is out of range: steps=" + steps + "; take 1 to " + MOST_STEPS);
        require(
                !hidden.isEmpty() && hidden.stream().allMatch(width -> width >= 1),
                "a hidden layer has no outputs: hidden=" + hidden + "; give positive widths, separated by commas");
        long spans = (long) steps * spansOfStep(hidden.size() + 1);
        require(
                spans <= MOST_SPANS,
                "too much would be recorded: steps=" + steps + ", layers=" + (hidden.size() + 1) + ", spans=" + spans
                        + ", most=" + MOST_SPANS + "; take fewer steps, or fewer layers");
        require(batch >= 1, "batch is not positive: batch=" + batch + "; take at least one image a step");
        require(
                bucketBytes >= 1,
                "a bucket has no room: bucketBytes=" + bucketBytes + "; give a positive --bucket-mib");
        require(
                contents.isPlain() || !shape.isNone(),
                "nothing is gained where links are as fast as they are: compress=" + contents
                        + "; give a --rate or a --latency");
        require(
                contents.codec() == null || !contents.codec().needsMatrices(),
                "a layer's weights and biases are one gradient here, which is no matrix: compress=" + contents
                        + "; choose a codec, such as one-bit");
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }

    /** {@return how many spans a step has at most: each layer may be a bucket of its own, and is updated by itself} */
    private static int spansOfStep(int layers) {
        return 3 + 2 * layers;
    }

    /** {@return the steps of a run that are not measured} */
    int warmUpSteps() {
        return Math.ceilDiv(steps, STEPS_FOR_A_WARM_UP);
    }

    /** {@return the widths of the network, from the pixels to the classes} */
    int[] widths() {
        return IntStream.concat(
                        IntStream.concat(
                                IntStream.of(Digits.PIXELS), hidden.stream().mapToInt(Integer::intValue)),
                        IntStream.of(Digits.CLASSES))
                .toArray();
    }

    /** {@return the widths as they are shown} */
    String network() {
        return IntStream.of(widths()).mapToObj(Integer::toString).collect(Collectors.joining("-"));
    }
}
