package io.reactivecomm.backend;

import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.GroupOpening;
import io.reactivecomm.spi.OrderedEngine.OpeningSink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The communicators of a {@link StrictMeeting}: an opening succeeds when all ranks that are to take part are at it, and there are no more at a time than
 * MPICH has.
 *
 * <p><b>Threads.</b> Any; one lock, under which nobody is told anything.
 */
final class StrictCommunicators {

    static final int MOST = 2000;

    private final Map<Integer, Set<Long>> open = new HashMap<>();
    private final Map<Long, List<Integer>> members = new HashMap<>();
    private final Map<Long, Map<Integer, OpeningSink>> opening = new HashMap<>();
    private int openings;

    /** {@return how many openings there were, each counted once} */
    synchronized int openings() {
        return openings;
    }

    /** {@return communicators that some rank has open} */
    synchronized int alive() {
        return (int) open.values().stream().flatMap(Set::stream).distinct().count();
    }

    /** {@return whether a rank may be given calls of a group} */
    synchronized boolean isOpen(int rank, EngineGroup group) {
        return group.isWorld() || open.getOrDefault(rank, Set.of()).contains(group.id());
    }

    void open(int rank, int worldSize, GroupOpening wanted, OpeningSink done) {
        List<OpeningSink> told = new ArrayList<>();
        String wrong;
        synchronized (this) {
            wrong = wrong(rank, wanted);
            if (wrong.isEmpty()) {
                meet(rank, worldSize, wanted, done, told);
            }
        }
        if (!wrong.isEmpty()) {
            done.failed(new Failure(Failure.Kind.INTERNAL, rank, wrong));
        }
        told.forEach(OpeningSink::succeeded);
    }

    private String wrong(int rank, GroupOpening wanted) {
        Set<Long> own = open.computeIfAbsent(rank, ignored -> new HashSet<>());
        if (wanted.includes(rank) && !own.add(wanted.id())) {
            return "disorder: a group is opened twice: group=" + wanted.id();
        }
        return own.size() > MOST ? "too many communicators: open=" + own.size() : "";
    }

    private void meet(int rank, int worldSize, GroupOpening wanted, OpeningSink done, List<OpeningSink> told) {
        members.put(wanted.id(), wanted.members());
        List<Integer> ranks = wanted.members();
        if (!wanted.isAlone()) {
            ranks = wanted.from() == EngineGroup.WORLD ? IntStream.range(0, worldSize).boxed().toList() : members.get(wanted.from());
        }
        Map<Integer, OpeningSink> here = opening.computeIfAbsent(wanted.id(), ignored -> new HashMap<>());
        here.put(rank, done);
        if (here.keySet().containsAll(ranks)) {
            openings++;
            opening.remove(wanted.id());
            told.addAll(here.values());
        }
    }

    /** @throws IllegalStateException if the rank has not got it */
    synchronized void free(int rank, EngineGroup group) {
        if (!open.getOrDefault(rank, Set.of()).remove(group.id())) {
            throw new IllegalStateException("disorder: a group is freed that is not open: rank=" + rank + ", group=" + group.id());
        }
    }

    /** A group has failed on a rank: what stands for it there is gone. */
    void abandon(int rank, EngineGroup group, Failure cause) {
        OpeningSink waiting;
        synchronized (this) {
            open.getOrDefault(rank, new HashSet<>()).remove(group.id());
            waiting = opening.getOrDefault(group.id(), new HashMap<>()).remove(rank);
        }
        if (waiting != null) {
            waiting.failed(cause);
        }
    }

    /** A rank is gone, with all that it had. */
    synchronized void leave(int rank) {
        open.remove(rank);
    }
}
