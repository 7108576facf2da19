package io.reactivecomm;

import java.time.Duration;

/**
 * How long a rank waits.
 *
 * @param call the default deadline of a call, counted from its subscription
 * @param rendezvous how long to wait for the other ranks
 */
public record Timeouts(Duration call, Duration rendezvous) {

    public Timeouts {
        requirePositive("RCOMM_TIMEOUT_SECONDS", call);
        requirePositive("RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", rendezvous);
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new RendezvousException(
                    "a timeout is not positive: " + name + "=" + duration + "; give a positive number of seconds");
        }
    }
}
