package io.reactivecomm.rcomm.gpu.check;

import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/** The middle of several measured times. */
public final class Median {

    private static final double NANOS_A_MICRO = 1e3;
    private static final double TENTHS = 10;

    private Median() {}

    /** {@return the median of so many measurings, in nanoseconds} */
    static double of(int rounds, LongSupplier nanos) {
        return of(LongStream.generate(nanos).limit(rounds));
    }

    static double of(LongStream nanos) {
        long[] sorted = nanos.sorted().toArray();
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2.0;
    }

    /** {@return nanoseconds as microseconds with one place} */
    public static double micros(double nanos) {
        return tenths(nanos / NANOS_A_MICRO);
    }

    /** {@return a number with one place} */
    public static double tenths(double number) {
        return Math.round(number * TENTHS) / TENTHS;
    }

    /** {@return a ratio with three places} */
    public static double ratio(double of, double to) {
        return Math.round(of / to * 1e3) / 1e3;
    }
}
