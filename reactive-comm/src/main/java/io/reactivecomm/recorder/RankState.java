package io.reactivecomm.recorder;

import java.util.ArrayList;
import java.util.List;

/**
 * The calls, peers and groups of one rank at one moment.
 *
 * @param live the calls under way, oldest first
 * @param ended the last calls that have ended, in the order of their ends
 */
public record RankState(List<LiveCall> live, List<EndedCall> ended, List<PeerRecord> peers, List<GroupRecord> groups) {

    /** Of a rank of which nothing could be read. */
    public static final RankState UNKNOWN = new RankState(List.of(), List.of(), List.of(), List.of());

    public RankState {
        live = List.copyOf(live);
        ended = List.copyOf(ended);
        peers = List.copyOf(peers);
        groups = List.copyOf(groups);
    }

    /** {@return one with further calls under way} */
    public RankState with(List<LiveCall> more) {
        List<LiveCall> all = new ArrayList<>(live);
        all.addAll(more);
        return new RankState(all, ended, peers, groups);
    }
}
