package io.reactivecomm;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The place of a process on its host, and of the host among the hosts, as far as a launcher or the program says.
 *
 * <p>A number that is not given follows from the ranks' hosts when they connect: ranks count on their host, and hosts count, in the order of ranks.
 *
 * @param hostId the name of the machine, by which ranks tell who shares one, or null for the machine's own
 * @param localRank this process's place among those of its host, or {@link #NOT_GIVEN}
 * @param localSize the number of processes on this host, or {@link #NOT_GIVEN}
 * @param hostRank this host's place among the hosts, or {@link #NOT_GIVEN}
 * @param hostCount the number of hosts, or {@link #NOT_GIVEN}
 */
public record HostPlace(@Nullable String hostId, int localRank, int localSize, int hostRank, int hostCount) {

    /** A number that follows from the ranks' hosts. */
    public static final int NOT_GIVEN = -1;

    /** All of it follows from the ranks' hosts, and these have their own names. */
    public static final HostPlace UNKNOWN = named(null);

    private static final String LOCAL_RANK = "LOCAL_RANK";
    private static final String LOCAL_SIZE = "LOCAL_WORLD_SIZE";
    private static final String HOST_RANK = "GROUP_RANK";
    private static final String HOST_COUNT = "GROUP_WORLD_SIZE";

    /** The variables that give the four numbers, by their names in torchrun. */
    public static final List<String> VARIABLES = List.of(LOCAL_RANK, LOCAL_SIZE, HOST_RANK, HOST_COUNT);

    public HostPlace {
        hostId = hostId == null ? null : hostId.strip();
        if (hostId != null && hostId.isEmpty()) {
            throw new RendezvousException(
                    "the machine's name is empty: RCOMM_HOST_ID=" + hostId + "; give one, or leave it out");
        }
    }

    /** {@return a machine of that name, or of its own name if null; the numbers follow from the ranks' hosts} */
    public static HostPlace named(@Nullable String hostId) {
        return new HostPlace(hostId, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN, NOT_GIVEN);
    }

    /**
     * {@return the place that LOCAL_RANK, LOCAL_WORLD_SIZE, GROUP_RANK and GROUP_WORLD_SIZE give, each if it is set}
     * RCOMM_HOST_ID names the machine. Where it is set, the numbers follow from the hosts that are named so.
     *
     * @throws RendezvousException if one cannot be read or is out of range
     */
    static HostPlace fromEnvironment(Map<String, String> environment) {
        String hostId = environment.get("RCOMM_HOST_ID");
        Map<String, String> numbers = hostId == null ? environment : Map.of();
        requirePlace(numbers, LOCAL_RANK, LOCAL_SIZE);
        requirePlace(numbers, HOST_RANK, HOST_COUNT);
        EnvironmentVariables variables = new EnvironmentVariables(numbers);
        return new HostPlace(
                hostId,
                variables.number(LOCAL_RANK, NOT_GIVEN),
                variables.number(LOCAL_SIZE, NOT_GIVEN),
                variables.number(HOST_RANK, NOT_GIVEN),
                variables.number(HOST_COUNT, NOT_GIVEN));
    }

    private static void requirePlace(Map<String, String> environment, String placeName, String countName) {
        EnvironmentVariables variables = new EnvironmentVariables(environment);
        int place = variables.number(placeName, 0);
        int count = variables.number(countName, Integer.MAX_VALUE);
        if (place < 0 || place >= count) {
            throw new RendezvousException("a process has no such place: " + placeName + "=" + environment.get(placeName)
                    + ", " + countName + "=" + environment.get(countName)
                    + "; give a number from 0 that is below the count, or leave both out");
        }
    }

    /** {@return this place, where the numbers that it does not give are the other's} */
    public HostPlace or(HostPlace other) {
        return new HostPlace(
                hostId == null ? other.hostId : hostId,
                given(localRank, other.localRank),
                given(localSize, other.localSize),
                given(hostRank, other.hostRank),
                given(hostCount, other.hostCount));
    }

    private static int given(int own, int other) {
        return own == NOT_GIVEN ? other : own;
    }
}
