package io.reactivecomm;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How a loop waits for what comes next. To wake a thread that sleeps costs 20 to 30 µs, many times what a small message needs; to keep
 * looking costs a core.
 */
public enum Waiting {
    /**
     * Looks for a short while, then sleeps. Where the ranks of a machine outnumber its cores, it lets others run between any two looks, so
     * that whoever is waited for gets a core.
     */
    ADAPTIVE,
    /** Never sleeps: for a machine whose cores are the ranks' alone. */
    SPIN,
    /** Sleeps at once: for ranks that share their cores with work that matters more. */
    PARK;

    /** {@return the strategy of that name, in any case} */
    static Waiting parse(String name) {
        return Arrays.stream(values())
                .filter(each -> each.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new RendezvousException("no such way to wait: RCOMM_WAITING=" + name + "; choose "
                        + Arrays.stream(values()).map(each -> each.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", "))));
    }
}
