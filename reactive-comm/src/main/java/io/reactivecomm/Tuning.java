package io.reactivecomm;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * How a rank uses its machine. Each rank's own: ranks need not agree on it, and no result depends on it.
 *
 * @param waiting how the rank's loop waits
 * @param congestion the congestion control that connections within the machine ask for, by the name that the system has for it, or
 *     {@link #SYSTEM}; connections to other machines keep the system's
 */
public record Tuning(Waiting waiting, String congestion) {

    /** Linux's TCP_CA_NAME_MAX, less the zero at the end. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9_-]{1,15}");

    /** Keeps the system's choice of congestion control. */
    public static final String SYSTEM = "system";

    /** Within a machine nothing is congested; BBR, the default of many systems, paces it to a half or a quarter of its speed. */
    public static final String DEFAULT_CONGESTION = "reno";

    /** Adaptive waiting, and reno within the machine. */
    public static final Tuning DEFAULT = new Tuning(Waiting.ADAPTIVE, DEFAULT_CONGESTION);

    public Tuning {
        if (!NAME.matcher(congestion).matches()) {
            throw new RendezvousException("not the name of a congestion control: RCOMM_CONGESTION=" + congestion
                    + "; write one such as reno or cubic, or " + SYSTEM);
        }
    }

    /**
     * {@return the tuning in RCOMM_WAITING and RCOMM_CONGESTION, each with its default}
     *
     * @throws RendezvousException if one cannot be read
     */
    public static Tuning fromEnvironment(Map<String, String> environment) {
        EnvironmentVariables variables = new EnvironmentVariables(environment);
        return new Tuning(
                Waiting.parse(variables.text("RCOMM_WAITING", Waiting.ADAPTIVE.name())),
                variables.text("RCOMM_CONGESTION", DEFAULT_CONGESTION));
    }

    /** {@return a copy that waits like that} */
    public Tuning withWaiting(Waiting waiting) {
        return new Tuning(waiting, congestion);
    }

    /** {@return a copy that asks for that congestion control} */
    public Tuning withCongestion(String congestion) {
        return new Tuning(waiting, congestion);
    }
}
