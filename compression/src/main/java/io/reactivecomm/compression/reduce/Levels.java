package io.reactivecomm.compression.reduce;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import java.util.List;
import java.util.Objects;

/**
 * The two levels of a world's ranks: those of a host, which are near, and the hosts.
 *
 * <pre>{@code
 * world.mesh(new Dimension("host", hosts), new Dimension("rank", ranksOfEach))
 *         .map(mesh -> new Levels(world, mesh.axis("rank"), mesh.axis("host")));
 * }</pre>
 *
 * @param world all ranks, host by host
 * @param withinHost those of this rank's host
 * @param acrossHosts those that have this rank's place on their hosts
 */
public record Levels(ProcessGroup world, ProcessGroup withinHost, ProcessGroup acrossHosts) {

    /** @throws InvalidCallException if the ranks of the groups are others */
    public Levels {
        for (ProcessGroup each : new ProcessGroup[] {world, withinHost, acrossHosts}) {
            Objects.requireNonNull(
                    each,
                    "one of the two levels has no group; give the world, and the groups of a mesh of hosts and ranks");
        }
        if (!areWhole(world, withinHost, acrossHosts)) {
            throw new InvalidCallException(
                    "groups are not the two levels of their world: world=" + world.ranks() + ", withinHost="
                            + withinHost.ranks() + ", acrossHosts=" + acrossHosts.ranks()
                            + "; order the world's ranks host by host, with as many on each, and give the groups of a mesh of hosts and ranks");
        }
    }

    private static boolean areWhole(ProcessGroup world, ProcessGroup withinHost, ProcessGroup acrossHosts) {
        int ranksOfHost = withinHost.size();
        boolean isWhole = (long) ranksOfHost * acrossHosts.size() == world.size();
        for (int i = 0; isWhole && i < ranksOfHost; i++) {
            isWhole = world.globalRank(acrossHosts.rank() * ranksOfHost + i) == withinHost.globalRank(i);
        }
        for (int host = 0; isWhole && host < acrossHosts.size(); host++) {
            isWhole = world.globalRank(host * ranksOfHost + withinHost.rank()) == acrossHosts.globalRank(host);
        }
        return isWhole;
    }

    /** {@return the ranks of the world} */
    int ranks() {
        return world.size();
    }

    /** {@return what ranks must have in common} */
    String label() {
        return acrossHosts.size() + " hosts of " + withinHost.size();
    }

    /** {@return how many chunks a rank quantises at each level, by the places of its encoders; none at one that is left out} */
    List<Integer> chunks() {
        if (acrossHosts.size() == 1) {
            return List.of(world.size(), 0);
        }
        return List.of(withinHost.size() == 1 ? 0 : world.size(), acrossHosts.size());
    }
}
