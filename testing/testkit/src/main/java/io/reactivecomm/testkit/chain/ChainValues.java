package io.reactivecomm.testkit.chain;

import io.reactivecomm.DType;
import io.reactivecomm.bucket.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The elements of gradients, of which each sum tells whose they are, and of which step.
 *
 * <pre>
 *   63                                    4 3       0
 *   ├─ step, gradient and element: a place ─┼─ rank ─┤      rank r has bit r; a sum over n ranks has n times the place, and their bits
 * </pre>
 */
final class ChainValues {

    /** No rank's. */
    static final long NONE = 0;

    private static final int RANKS = 4;
    private static final int MOST_ELEMENTS = 4;
    private static final int MOST_GRADIENTS = 16;

    private ChainValues() {}

    static String name(int gradient) {
        return "w" + gradient;
    }

    private static int count(int gradient) {
        return 1 + gradient % MOST_ELEMENTS;
    }

    static long[] of(int step, int rank, int gradient) {
        return LongStream.range(0, count(gradient))
                .map(element -> place(step, gradient, (int) element) + (1L << rank))
                .toArray();
    }

    private static long place(int step, int gradient, int element) {
        return (1L + element + MOST_ELEMENTS * (gradient + (long) MOST_GRADIENTS * step)) << RANKS;
    }

    /** {@return the last layer's first} */
    static List<Parameter> parameters(int gradients) {
        List<Parameter> parameters = new ArrayList<>();
        for (int gradient = gradients - 1; gradient >= 0; gradient--) {
            parameters.add(new Parameter(name(gradient), DType.INT64, count(gradient)));
        }
        return parameters;
    }

    /** {@return the ranks, by their bits, whose gradients' sum this is in each element; {@link #NONE} if it is the sum of none} */
    static long ranks(int step, int gradient, long[] elements) {
        long ranks = elements.length == 0 ? NONE : elements[0] & (1L << RANKS) - 1;
        boolean isSum = IntStream.range(0, elements.length)
                .allMatch(
                        element -> elements[element] == Long.bitCount(ranks) * place(step, gradient, element) + ranks);
        return isSum ? ranks : NONE;
    }
}
