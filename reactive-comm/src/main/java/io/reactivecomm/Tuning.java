package io.reactivecomm;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A rank's use of its machine and its network. No result depends on it, and ranks need agree on nothing but the lanes, which have two ends.
 *
 * @param waiting how the rank's loop waits
 * @param congestion the congestion control that connections within the machine ask for, by the name that the system has for it, or
 *     {@link #SYSTEM}; connections to other machines keep the system's
 * @param lanes connections to each peer that carry the payloads of large tensors side by side, 1 to {@link #MOST_LANES}; with 1 they go over the
 *     connection of all else
 * @param network the network by which the others reach this rank, or null for that by which it reached the store
 */
public record Tuning(
        Waiting waiting,
        String congestion,
        int lanes,
        @Nullable NetworkChoice network) {

    /** Linux's TCP_CA_NAME_MAX, less the zero at the end. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9_-]{1,15}");

    /** Keeps the system's choice of congestion control. */
    public static final String SYSTEM = "system";

    /** Within a machine nothing is congested; BBR, the default of many systems, paces it to a half or a quarter of its speed. */
    public static final String DEFAULT_CONGESTION = "reno";

    /** One connection fills most paths, and each more is a socket and its buffers for each peer. */
    public static final int DEFAULT_LANES = 1;

    /** More than the pieces that are under way to a peer at one time. */
    public static final int MOST_LANES = 16;

    /** Adaptive waiting, reno within the machine, no lanes, and the network of the store. */
    public static final Tuning DEFAULT = new Tuning(Waiting.ADAPTIVE, DEFAULT_CONGESTION, DEFAULT_LANES, null);

    public Tuning {
        Objects.requireNonNull(waiting, "waiting");
        Objects.requireNonNull(congestion, "congestion");
        congestion = congestion.strip();
        if (!NAME.matcher(congestion).matches()) {
            throw new RendezvousException("not the name of a congestion control: RCOMM_CONGESTION=" + congestion
                    + "; write one such as reno or cubic, or " + SYSTEM);
        }
        if (lanes < 1 || lanes > MOST_LANES) {
            throw new RendezvousException(
                    "the number of lanes is out of range: RCOMM_LANES=" + lanes + "; choose 1 to " + MOST_LANES);
        }
    }

    /**
     * {@return the tuning in RCOMM_WAITING, RCOMM_CONGESTION, RCOMM_LANES and RCOMM_INTERFACE, each with its default}
     *
     * @throws RendezvousException if one cannot be read
     */
    public static Tuning fromEnvironment(Map<String, String> environment) {
        Objects.requireNonNull(environment, "environment");
        EnvironmentVariables variables = new EnvironmentVariables(environment);
        return new Tuning(
                Waiting.parse(variables.text("RCOMM_WAITING", Waiting.ADAPTIVE.name())),
                variables.text("RCOMM_CONGESTION", DEFAULT_CONGESTION),
                variables.number("RCOMM_LANES", DEFAULT_LANES),
                network(variables.text(NetworkChoice.VARIABLE, "")));
    }

    private static @Nullable NetworkChoice network(String text) {
        return Optional.of(text)
                .filter(each -> !each.isEmpty())
                .map(NetworkChoice::new)
                .orElse(null);
    }

    /** {@return a copy that waits like that} */
    public Tuning withWaiting(Waiting waiting) {
        return new Tuning(waiting, congestion, lanes, network);
    }

    /** {@return a copy that asks for that congestion control} */
    public Tuning withCongestion(String congestion) {
        return new Tuning(waiting, congestion, lanes, network);
    }

    /** {@return a copy with so many lanes} */
    public Tuning withLanes(int lanes) {
        return new Tuning(waiting, congestion, lanes, network);
    }

    /** {@return a copy that takes that network, or that by which it reached the store if null} */
    public Tuning withNetwork(@Nullable NetworkChoice network) {
        return new Tuning(waiting, congestion, lanes, network);
    }
}
