package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.rcomm.latency.Rate;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

/**
 * The options of {@code rcomm hosts}.
 *
 * @param placement how many hosts and ranks, and which rank is where
 * @param rate of what a host sends, and of what it receives
 * @param latency each way; zero for none but what the machine has
 * @param wire whether to measure two bare sockets first
 * @param command the program of each rank and its arguments
 */
record HostsOptions(Placement placement, Rate rate, Duration latency, boolean wire, List<String> command) {

    /** Longer than the way around the world, and to the moon and back. */
    private static final Duration MOST_LATENCY = Duration.ofSeconds(5);

    HostsOptions {
        if (latency.isNegative() || latency.compareTo(MOST_LATENCY) > 0) {
            throw new IllegalArgumentException("latency is out of range: latency-ms=" + millis(latency)
                    + "; give --latency-ms 0 to " + MOST_LATENCY.toMillis());
        }
        if (wire && placement.hosts() < 2) {
            throw new IllegalArgumentException(
                    "no wire to measure: hosts=" + placement.hosts() + "; take two hosts, or leave out --wire");
        }
        command = List.copyOf(command);
    }

    private static String millis(Duration time) {
        return BigDecimal.valueOf(time.toNanos(), 6).stripTrailingZeros().toPlainString();
    }
}
