package io.reactivecomm;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * The times that a rank waits.
 *
 * @param call the default deadline of a call, counted from its subscription
 * @param rendezvous how long to wait for the other ranks
 * @param heartbeat the time between two beats by which ranks tell each other that they live; the same on all ranks
 * @param silence how long no beat may come from a rank: outages that are shorter harm nobody, and of one that is longer all are told within five
 *     beats more; at least ten beats, and the same on all ranks
 */
public record Timeouts(Duration call, Duration rendezvous, Duration heartbeat, Duration silence) {

    /** Ten beats a second cost a hundredth of a core among a hundred ranks, and tell of a silent rank half a second after the limit. */
    public static final Duration DEFAULT_HEARTBEAT = Duration.ofMillis(100);

    /** Longer than a switch takes to find another way, and short enough to wait for. */
    public static final Duration DEFAULT_SILENCE = Duration.ofSeconds(3);

    /** With fewer a few lost beats would be a lost rank. */
    private static final int LEAST_BEATS = 10;

    private static final Duration LEAST_HEARTBEAT = Duration.ofMillis(10);
    private static final Duration MOST_HEARTBEAT = Duration.ofMinutes(1);
    private static final Duration MOST_SILENCE = Duration.ofHours(1);

    public Timeouts {
        Objects.requireNonNull(call, "call");
        Objects.requireNonNull(rendezvous, "rendezvous");
        Objects.requireNonNull(heartbeat, "heartbeat");
        Objects.requireNonNull(silence, "silence");
        requirePositive("RCOMM_TIMEOUT_SECONDS", call);
        requirePositive("RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", rendezvous);
        if (heartbeat.compareTo(LEAST_HEARTBEAT) < 0 || heartbeat.compareTo(MOST_HEARTBEAT) > 0) {
            throw new RendezvousException(
                    "the time between heartbeats is out of range: RCOMM_HEARTBEAT_MILLIS=" + heartbeat.toMillis()
                            + "; choose " + LEAST_HEARTBEAT.toMillis() + " to " + MOST_HEARTBEAT.toMillis());
        }
        if (silence.compareTo(heartbeat.multipliedBy(LEAST_BEATS)) < 0 || silence.compareTo(MOST_SILENCE) > 0) {
            throw new RendezvousException("the limit of silence is out of range: RCOMM_SILENCE_MILLIS="
                    + silence.toMillis()
                    + ", RCOMM_HEARTBEAT_MILLIS=" + heartbeat.toMillis() + "; choose " + LEAST_BEATS + " heartbeats to "
                    + MOST_SILENCE.toMillis());
        }
    }

    /** Makes one with the usual heartbeats. */
    public Timeouts(Duration call, Duration rendezvous) {
        this(call, rendezvous, DEFAULT_HEARTBEAT, DEFAULT_SILENCE);
    }

    /**
     * {@return the times in RCOMM_TIMEOUT_SECONDS, RCOMM_RENDEZVOUS_TIMEOUT_SECONDS, RCOMM_HEARTBEAT_MILLIS and RCOMM_SILENCE_MILLIS, each with its default}
     *
     * @throws RendezvousException if one cannot be read
     */
    public static Timeouts fromEnvironment(Map<String, String> environment) {
        Objects.requireNonNull(environment, "environment");
        EnvironmentVariables variables = new EnvironmentVariables(environment);
        return new Timeouts(
                variables.seconds("RCOMM_TIMEOUT_SECONDS", CommConfig.DEFAULT_TIMEOUT),
                variables.seconds("RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", CommConfig.DEFAULT_RENDEZVOUS_TIMEOUT),
                variables.millis("RCOMM_HEARTBEAT_MILLIS", DEFAULT_HEARTBEAT),
                variables.millis("RCOMM_SILENCE_MILLIS", DEFAULT_SILENCE));
    }

    /** {@return a copy with that default deadline of calls} */
    public Timeouts withCall(Duration call) {
        return new Timeouts(call, rendezvous, heartbeat, silence);
    }

    /** {@return a copy that waits so long for the other ranks} */
    public Timeouts withRendezvous(Duration rendezvous) {
        return new Timeouts(call, rendezvous, heartbeat, silence);
    }

    /** {@return a copy with those heartbeats} */
    public Timeouts withHeartbeats(Duration heartbeat, Duration silence) {
        return new Timeouts(call, rendezvous, heartbeat, silence);
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new RendezvousException(
                    "a timeout is not positive: " + name + "=" + duration + "; give a positive number of seconds");
        }
    }
}
