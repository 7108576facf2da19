package io.reactivecomm.simulator;

import io.reactivecomm.testkit.SeededRandom;

/**
 * The behaviour of the virtual network; times are in nanoseconds.
 *
 * @param leastNanos the shortest delay
 * @param mostNanos the longest usual delay
 * @param slowPercent how many delays are ten times as long
 * @param togetherPercent how many frames arrive together with the one before
 * @param halvesPercent how many payloads leave and arrive in parts
 * @param blockedPercent how many data frames make their link unwritable for a while
 * @param mostUnwritten data frames that a link takes at once
 * @param lazyPercent how many turns come some time after their event, not with it
 * @param lends whether payloads are read where they lie, instead of being sent
 * @param scarcePercent how many of those are scarce
 * @param encoded whether control frames cross as bytes
 */
record NetworkConditions(
        long leastNanos,
        long mostNanos,
        int slowPercent,
        int togetherPercent,
        int halvesPercent,
        int blockedPercent,
        int mostUnwritten,
        int lazyPercent,
        boolean lends,
        int scarcePercent,
        boolean encoded) {

    static NetworkConditions of(SeededRandom dice) {
        return new NetworkConditions(
                1_000,
                dice.oneOf(2_000, 20_000, 20_000, 200_000),
                dice.oneOf(0, 2, 10),
                dice.oneOf(0, 40, 80),
                dice.oneOf(0, 30, 70),
                dice.oneOf(0, 10, 40),
                dice.oneOf(1, 1, 2, 4),
                dice.oneOf(0, 10, 40),
                dice.percent(40),
                dice.oneOf(0, 50, 100),
                dice.percent(30));
    }

    long delay(SeededRandom dice) {
        long delay = dice.between(leastNanos, mostNanos);
        return slowPercent > 0 && dice.percent(slowPercent) ? 10 * delay : delay;
    }

    /** {@return the longest that one delay can be} */
    long longestDelay() {
        return 10 * mostNanos;
    }
}
