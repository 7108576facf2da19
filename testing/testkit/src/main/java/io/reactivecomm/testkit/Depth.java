package io.reactivecomm.testkit;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The depth to which this run tries what is searched at random, or takes long by number: the suite a fixed sample, {@code -Pthorough} all.
 */
public final class Depth {

    /** The part of random cases that the suite tries. */
    private static final int ONE_IN = 41;

    /** The stride of a sample. Odd and no divisor of the lengths of the lists, so that a sample goes through all their parts. */
    private static final int STRIDE = 17;

    /** The least size of a sample of a list that is long enough. */
    private static final int LEAST = 3;

    private Depth() {}

    /** {@return whether the build leaves nothing out} */
    public static boolean isWhole() {
        return !System.getProperty("tests.excluded", "").contains("thorough");
    }

    /** {@return all of them, or the same few in each run} */
    public static <T> List<T> sample(List<T> all) {
        int stride = Math.clamp(all.size() / LEAST, 1, STRIDE);
        return isWhole()
                ? all
                : IntStream.range(0, all.size())
                        .filter(i -> i % stride == 0)
                        .mapToObj(all::get)
                        .toList();
    }

    /** {@return how many to try: what the property says, if it is set} */
    public static int count(String property, int whole) {
        return Integer.getInteger(property, isWhole() ? whole : whole / ONE_IN);
    }
}
