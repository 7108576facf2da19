package io.reactivecomm.testkit;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * Deadlines for a case in which something has to happen before one strikes, on a machine of any speed. The case runs with the shortest deadline first. Only if it reports
 * that the machine was too slow does it run again, with a longer one; any other failure ends it at once.
 */
public final class RisingDeadline {

    private static final List<Duration> DEADLINES =
            List.of(Duration.ofMillis(400), Duration.ofSeconds(2), Duration.ofSeconds(10));

    private RisingDeadline() {}

    /** @param isInTime runs the case, and returns false if the deadline struck too early */
    public static void untilInTime(Predicate<Duration> isInTime) {
        if (DEADLINES.stream().noneMatch(isInTime)) {
            throw new AssertionError("what has to happen before the deadline did not: deadlines=" + DEADLINES);
        }
    }
}
