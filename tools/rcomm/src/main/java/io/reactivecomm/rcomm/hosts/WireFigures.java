package io.reactivecomm.rcomm.hosts;

import java.util.List;
import java.util.Locale;

/**
 * The figures of a wire.
 *
 * @param bytes what went each way in a round
 * @param roundNanos the time of each round
 */
record WireFigures(int bytes, List<Long> roundNanos) {

    WireFigures {
        roundNanos = List.copyOf(roundNanos);
    }

    /** {@return the time of a round in the middle} */
    private double medianNanos() {
        List<Long> sorted = roundNanos.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2.0;
    }

    /** {@return the line about it, in millions of bytes a second} */
    String line() {
        String size = bytes % (1 << 20) == 0 ? bytes / (1 << 20) + " MiB" : bytes + " bytes";
        return String.format(
                Locale.ROOT,
                "wire: %.1f MB/s each way, %s in %.1f ms (median of %d rounds)",
                bytes * 1e3 / medianNanos(),
                size,
                medianNanos() / 1e6,
                roundNanos.size());
    }
}
