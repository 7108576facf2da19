package io.reactivecomm.sequence;

import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.GroupOpening;
import io.reactivecomm.spi.OrderedEngine.Formation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The communicators that the engine has opened for groups, as the leader knows them: it puts their openings and freeings into the order.
 *
 * <pre>
 *   first call is ready on all members ── Open to those who take part ──&gt; open ── Closed of all members, or they left ── Free to all members ──&gt; gone
 *                                                                          └──────── the group is abandoned ──────────────────────────────────&gt; gone
 * </pre>
 *
 * <p>What is told to one rank keeps its order. So the openings and freeings stand in one order with the batches on all ranks, each rank having its own
 * part of it.
 */
final class LeaderCommunicators {

    private final Formation formation;
    private final int worldSize;
    private final Set<Integer> gone;
    private final Leader.Mail mail;
    private final Map<GroupKey, Communicator> open = new HashMap<>();

    /** @param unclosed the members that have not closed the group */
    private record Communicator(List<Integer> members, Set<Integer> unclosed) {}

    /**
     * @param gone the ranks that have left the world, as the leader knows them
     * @param mail tells ranks that are still there
     */
    LeaderCommunicators(Formation formation, int worldSize, Set<Integer> gone, Leader.Mail mail) {
        this.formation = formation;
        this.worldSize = worldSize;
        this.gone = gone;
        this.mail = mail;
    }

    /** A call of a group is about to be announced: the group's communicator is opened before. */
    void require(LeaderGroup roster) {
        GroupKey group = roster.group();
        if (formation == Formation.NONE || group.id() == EngineGroup.WORLD || open.containsKey(group)) {
            return;
        }
        open.put(group, new Communicator(roster.members(), new HashSet<>(roster.members())));
        long from = from(roster);
        if (from == GroupOpening.ALONE) {
            open(roster, from, roster.members());
        } else {
            open(roster, from, members(new GroupKey(group.generation(), from)));
        }
    }

    private void open(LeaderGroup roster, long from, List<Integer> ranks) {
        GroupOpening opening = new GroupOpening(roster.group().id(), roster.group().generation(), roster.members(), from);
        ranks.forEach(rank -> mail.send(rank, new Notice.Open(opening)));
    }

    /** {@return the nearest group that it was made of which is open and all of whose ranks are there; else that its members are alone} */
    private long from(LeaderGroup roster) {
        if (formation != Formation.PARENT) {
            return GroupOpening.ALONE;
        }
        for (long id : roster.ancestors()) {
            GroupKey ancestor = new GroupKey(roster.group().generation(), id);
            boolean isOpen = id == EngineGroup.WORLD || open.containsKey(ancestor);
            if (isOpen && members(ancestor).stream().noneMatch(gone::contains)) {
                return id;
            }
        }
        return GroupOpening.ALONE;
    }

    private List<Integer> members(GroupKey group) {
        Communicator communicator = open.get(group);
        return communicator == null ? IntStream.range(0, worldSize).boxed().toList() : communicator.members;
    }

    /** A member has closed a group. */
    void closed(int rank, GroupKey group) {
        Communicator communicator = open.get(group);
        if (communicator != null && communicator.unclosed.remove(rank) && communicator.unclosed.isEmpty()) {
            open.remove(group);
            communicator.members.forEach(member -> mail.send(member, new Notice.Free(group)));
        }
    }

    /** A rank has left the world. */
    void left(int rank) {
        List.copyOf(open.keySet()).forEach(group -> closed(rank, group));
    }

    /** A group has been abandoned: each engine frees what stands for it by itself. */
    void abandoned(GroupKey group) {
        open.remove(group);
    }

    /** {@return communicators that are open} */
    int size() {
        return open.size();
    }
}
