package io.reactivecomm;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The way in which a loop waits for what comes next. To wake a thread that sleeps costs 20 to 30 µs, many times what a small message needs; to keep
 * looking costs a core.
 */
public enum Waiting {
    /**
     * Looks for half a millisecond, then sleeps. It lets others run between two looks after the first 50 µs, or from the beginning where the
     * ranks of a machine outnumber its cores, so that whoever is waited for gets one.
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
                        + Arrays.stream(values())
                                .map(each -> each.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))));
    }
}
