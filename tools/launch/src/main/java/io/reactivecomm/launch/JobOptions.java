package io.reactivecomm.launch;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * The options of a job: its command, the number of its ranks, and the patience with which it is ended. Immutable; each {@code withX}
 * returns a changed copy.
 *
 * @param ranks how many processes
 * @param command the program of each rank and its arguments; looked up on the PATH as a shell does
 * @param environment variables for every rank, on top of this process's and under those that place it
 * @param ofRank variables for one rank by its number, on top of those
 * @param grace how long the other ranks may take to end by themselves once one has failed
 * @param killDelay how long a rank that was told to end (SIGTERM) may take before it is killed (SIGKILL)
 */
public record JobOptions(
        int ranks,
        List<String> command,
        Map<String, String> environment,
        IntFunction<Map<String, String>> ofRank,
        Duration grace,
        Duration killDelay) {

    /** Five seconds: longer than the 3.5 s after which a rank knows that a silent peer is lost, so that each can say so. */
    public static final Duration DEFAULT_GRACE = Duration.ofSeconds(5);

    /** One second: what closing a group takes at most. */
    public static final Duration DEFAULT_KILL_DELAY = Duration.ofSeconds(1);

    private static final IntFunction<Map<String, String>> NOTHING_MORE = rank -> Map.of();

    public JobOptions {
        if (ranks < 1) {
            throw new IllegalArgumentException("number of ranks is not positive: n=" + ranks + "; start at least one");
        }
        if (command.isEmpty()) {
            throw new IllegalArgumentException(
                    "no command to start: n=" + ranks + "; name the program after the options");
        }
        requireNotNegative("grace", grace);
        requireNotNegative("killDelay", killDelay);
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }

    /** {@return options with the defaults, that add nothing to the environment} */
    public static JobOptions of(int ranks, List<String> command) {
        return new JobOptions(ranks, command, Map.of(), NOTHING_MORE, DEFAULT_GRACE, DEFAULT_KILL_DELAY);
    }

    /** {@return a copy that gives every rank these variables too} */
    public JobOptions withEnvironment(Map<String, String> environment) {
        return new JobOptions(ranks, command, environment, ofRank, grace, killDelay);
    }

    /** {@return a copy that gives each rank variables of its own too, such as those of its device} */
    public JobOptions withRankEnvironment(IntFunction<Map<String, String>> ofRank) {
        return new JobOptions(ranks, command, environment, ofRank, grace, killDelay);
    }

    /** {@return a copy with that grace for the ranks that did not fail} */
    public JobOptions withGrace(Duration grace) {
        return new JobOptions(ranks, command, environment, ofRank, grace, killDelay);
    }

    /** {@return a copy that kills so long after telling a rank to end} */
    public JobOptions withKillDelay(Duration killDelay) {
        return new JobOptions(ranks, command, environment, ofRank, grace, killDelay);
    }

    /** {@return the folders in which the command is looked up} */
    String path() {
        String own = System.getenv("PATH");
        return environment.getOrDefault("PATH", own == null ? "" : own);
    }

    private static void requireNotNegative(String name, Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException(
                    "a time is negative: " + name + "=" + duration + "; give zero or a positive duration");
        }
    }
}
