package io.reactivecomm.rcomm.hosts;

/**
 * The placement of ranks on hosts.
 *
 * <pre>
 *   2 hosts × 3     rank  0  1  2  3  4  5
 *   in a row        host  0  0  0  1  1  1
 *   round robin     host  0  1  0  1  0  1
 * </pre>
 *
 * @param hosts how many
 * @param ranksPerHost how many ranks each has
 * @param roundRobin whether consecutive ranks are on different hosts
 */
record Placement(int hosts, int ranksPerHost, boolean roundRobin) {

    /** What the addresses have room for; long before that the machine has none. */
    static final int MOST_HOSTS = 250;

    private static final int MOST_RANKS = 1024;

    Placement {
        if (hosts < 1 || hosts > MOST_HOSTS) {
            throw new IllegalArgumentException(
                    "number of hosts is out of range: hosts=" + hosts + "; take 1 to " + MOST_HOSTS);
        }
        if (ranksPerHost < 1 || ranksPerHost > MOST_RANKS / hosts) {
            throw new IllegalArgumentException("number of ranks is out of range: ranks-per-host=" + ranksPerHost
                    + ", hosts=" + hosts + "; start at least one on each host, and at most " + MOST_RANKS + " in all");
        }
    }

    int worldSize() {
        return hosts * ranksPerHost;
    }

    /** {@return the host of that rank} */
    int hostOf(int rank) {
        return roundRobin ? rank % hosts : rank / ranksPerHost;
    }

    /** {@return its number among the ranks of its host} */
    int localRankOf(int rank) {
        return roundRobin ? rank / hosts : rank % ranksPerHost;
    }
}
