package io.reactivecomm.testkit;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The depth to which this run tries what is searched at random, or takes long by number: the suite a fixed sample, {@code -Pthorough} all.
 */
public final class Depth {

    /** Odd and no divisor of the lengths of the lists, so that a sample goes through all their parts. */
    private static final int ONE_IN = 41;

    private Depth() {}

    /** {@return whether the build leaves nothing out} */
    public static boolean isWhole() {
        return !System.getProperty("tests.excluded", "").contains("thorough");
    }

    /** {@return all of them, or the same few in each run} */
    public static <T> List<T> sample(List<T> all) {
        return isWhole()
                ? all
                : IntStream.range(0, all.size())
                        .filter(i -> i % ONE_IN == 0)
                        .mapToObj(all::get)
                        .toList();
    }

    /** {@return how many to try: what the property says, if it is set} */
    public static int count(String property, int whole) {
        return Integer.getInteger(property, isWhole() ? whole : whole / ONE_IN);
    }
}
