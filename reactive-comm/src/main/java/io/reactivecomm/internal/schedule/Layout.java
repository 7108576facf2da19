package io.reactivecomm.internal.schedule;

import io.reactivecomm.collective.Fingerprint;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of a group's ranks: which of them share a machine.
 *
 * <p>Hosts are numbered as they appear in the order of ranks, so two groups whose ranks lie alike have equal layouts, on whichever machines
 * they are. All ranks of a group have the same one, because all have the same roster. Immutable.
 */
public final class Layout {

    private final int[] hostOf;
    /** A rank's place among those of its host. */
    private final int[] localOf;
    /** By host, in rank order. */
    private final int[][] ranks;

    private final int mostPerHost;
    private final boolean consecutive;
    private final int hash;

    private Layout(int[] hostOf) {
        this.hostOf = hostOf;
        this.localOf = new int[hostOf.length];
        int hosts = Arrays.stream(hostOf).max().orElse(-1) + 1;
        int[] counts = new int[hosts];
        for (int rank = 0; rank < hostOf.length; rank++) {
            localOf[rank] = counts[hostOf[rank]]++;
        }
        this.ranks = new int[hosts][];
        Arrays.setAll(ranks, host -> new int[counts[host]]);
        for (int rank = 0; rank < hostOf.length; rank++) {
            ranks[hostOf[rank]][localOf[rank]] = rank;
        }
        this.mostPerHost = Arrays.stream(counts).max().orElse(0);
        this.consecutive = IntStream.range(1, hostOf.length).allMatch(rank -> hostOf[rank] >= hostOf[rank - 1]);
        this.hash = Arrays.hashCode(hostOf);
    }

    /**
     * {@return the layout of a group}
     *
     * @param hostOf any number for each rank, equal for two ranks exactly if they share a machine
     */
    public static Layout of(int size, IntUnaryOperator hostOf) {
        Map<Integer, Integer> numbers = new HashMap<>();
        int[] hosts = new int[size];
        for (int rank = 0; rank < size; rank++) {
            hosts[rank] = numbers.computeIfAbsent(hostOf.applyAsInt(rank), ignored -> numbers.size());
        }
        return new Layout(hosts);
    }

    /** {@return the layout of a group of a world} @param hosts of the world's ranks @param members the group's ranks in the world */
    public static Layout of(List<Integer> hosts, List<Integer> members) {
        return of(members.size(), rank -> hosts.get(members.get(rank)));
    }

    /** {@return ranks that share one machine} */
    public static Layout together(int size) {
        return new Layout(new int[size]);
    }

    /** {@return ranks with a machine each} */
    public static Layout apart(int size) {
        return new Layout(IntStream.range(0, size).toArray());
    }

    /** {@return ranks shared out over machines as evenly as can be, those of each one after the other; at most as many machines as ranks} */
    public static Layout over(int hosts, int size) {
        int share = size / hosts;
        int rest = size % hosts;
        int longer = rest * (share + 1);
        return new Layout(IntStream.range(0, size)
                .map(rank -> rank < longer ? rank / (share + 1) : rest + (rank - longer) / share)
                .toArray());
    }

    /** {@return the number of ranks} */
    public int size() {
        return hostOf.length;
    }

    /** {@return the number of machines} */
    public int hosts() {
        return ranks.length;
    }

    /** {@return a rank's machine} */
    public int host(int rank) {
        return hostOf[rank];
    }

    /** {@return whether two ranks are on different machines} */
    public boolean isBetweenHosts(int rank, int other) {
        return hostOf[rank] != hostOf[other];
    }

    /** {@return the ranks of the machine with most} */
    public int mostPerHost() {
        return mostPerHost;
    }

    /** {@return whether the ranks of each machine follow one another} */
    public boolean isConsecutive() {
        return consecutive;
    }

    /** {@return how many ranks a machine has} */
    public int count(int host) {
        return ranks[host].length;
    }

    /** {@return a rank's place among those of its machine} */
    public int local(int rank) {
        return localOf[rank];
    }

    /** {@return the rank at a place on a machine; places go around where it has fewer ranks} */
    public int rank(int host, int place) {
        return ranks[host][place % ranks[host].length];
    }

    /** {@return a number that tells layouts apart and is the same in every process} */
    public long fingerprint() {
        long mixed = hostOf.length;
        for (int host : hostOf) {
            mixed = Fingerprint.mix(mixed, host);
        }
        return mixed;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other == this
                || (other instanceof Layout layout && layout.hash == hash && Arrays.equals(layout.hostOf, hostOf));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** {@return the ranks of each machine, such as {@code [0, 1] [2, 3]}} */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int[] each : ranks) {
            text.append(text.isEmpty() ? "" : " ").append(Arrays.toString(each));
        }
        return text.toString();
    }
}
