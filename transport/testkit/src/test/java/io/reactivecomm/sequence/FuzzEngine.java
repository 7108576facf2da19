package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.GroupOpening;
import io.reactivecomm.spi.OrderedEngine.Formation;
import io.reactivecomm.spi.OrderedEngine.OpeningSink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One rank's engine, as strict as they come: it works off what it is given in that order and nothing beside it, and a call completes only
 * when all members of its group are at it.
 */
final class FuzzEngine {

    private final FuzzWorld world;
    private final int rank;
    private final Deque<Map<CallKey, MemberCall>> work = new ArrayDeque<>();
    /** What the rank began, by group, batch by batch. */
    private final Map<GroupKey, List<List<CallKey>>> batches = new LinkedHashMap<>();
    /** The calls, openings and freeings, in the order in which they came. */
    private final List<Object> history = new ArrayList<>();
    private final Set<GroupKey> open = new HashSet<>();
    private final Set<CallKey> met = new HashSet<>();

    FuzzEngine(FuzzWorld world, int rank) {
        this.world = world;
        this.rank = rank;
    }

    Map<GroupKey, List<List<CallKey>>> batches() {
        return batches;
    }

    /** {@return communicators that are there} */
    int communicators() {
        return open.size();
    }

    List<Object> history() {
        return history;
    }

    void run(List<MemberCall> batch) {
        Map<GroupKey, List<CallKey>> shares = new LinkedHashMap<>();
        Map<CallKey, MemberCall> whole = new LinkedHashMap<>();
        for (MemberCall entry : batch) {
            requireOpen(GroupKey.of(entry.key()));
            history.add(entry.key());
            shares.computeIfAbsent(GroupKey.of(entry.key()), ignored -> new ArrayList<>()).add(entry.key());
            whole.put(entry.key(), entry);
            if (!world.plan().coalesced()) {
                work.add(new LinkedHashMap<>(Map.of(entry.key(), entry)));
            }
        }
        shares.forEach((group, keys) -> batches.computeIfAbsent(group, ignored -> new ArrayList<>()).add(keys));
        if (world.plan().coalesced()) {
            work.add(whole);
        }
        world.meet();
    }

    private void requireOpen(GroupKey group) {
        if (world.plan().formation() != Formation.NONE && group.id() != EngineGroup.WORLD && !open.contains(group)) {
            throw new AssertionError("a call of a group that is not open: rank=" + rank + ", group=" + group);
        }
    }

    void open(GroupOpening opening, OpeningSink done) {
        history.add(opening);
        GroupKey group = new GroupKey(opening.generation(), opening.id());
        if (!world.plan().ranksOf(opening).contains(rank)) {
            throw new AssertionError("a rank opens a group that has nothing to do with it: rank=" + rank + ", opening=" + opening);
        }
        if (opening.includes(rank) && !open.add(group)) {
            throw new AssertionError("a group is opened twice: rank=" + rank + ", group=" + group);
        }
        boolean fails = world.plan().cannotOpen(rank, opening.id());
        world.later(() -> {
            if (fails) {
                done.failed(new Failure(Failure.Kind.INTERNAL, rank, "planned"));
            } else {
                done.succeeded();
            }
        });
    }

    void free(EngineGroup group) {
        history.add("free " + group.id());
        if (!open.remove(GroupKey.of(group))) {
            throw new AssertionError("a group is freed that is not open: rank=" + rank + ", group=" + group);
        }
    }

    /** {@return the calls that the rank is at} */
    Set<CallKey> atWork() {
        return work.isEmpty() ? Set.of() : work.getFirst().keySet();
    }

    /** All members are at a call: it ends here in a while, unless it is stopped. */
    void meets(CallKey key) {
        if (met.add(key)) {
            world.later(() -> complete(key));
        }
    }

    private void complete(CallKey key) {
        MemberCall entry = work.isEmpty() ? null : work.getFirst().get(key);
        int number = world.number(key);
        boolean fails = world.plan().trouble(FuzzPlan.Kind.ENGINE_FAILS, rank, number) != null;
        boolean hangs = !fails && world.plan().troubles().stream().anyMatch(trouble -> trouble.kind() == FuzzPlan.Kind.ENGINE_FAILS
                        && trouble.call() == number
                || isNotOpened(trouble, key.group()));
        if (entry != null && !hangs) {
            end(entry, fails ? new Failure(Failure.Kind.INTERNAL, rank, "planned") : null);
        }
    }

    private boolean isNotOpened(FuzzPlan.Trouble trouble, long group) {
        boolean isToBeOpened = world.plan().formation() != Formation.NONE && group != EngineGroup.WORLD;
        return isToBeOpened && trouble.kind() == FuzzPlan.Kind.OPENING_FAILS && trouble.group() == group;
    }

    private void end(MemberCall entry, Failure failure) {
        for (Map<CallKey, MemberCall> batch : List.copyOf(work)) {
            batch.remove(entry.key());
        }
        work.removeIf(Map::isEmpty);
        world.rank(rank).end(entry, failure);
        world.meet();
    }

    /** Stops what runs in a group, in a while, and frees what stands for it. */
    void abandon(GroupKey group, Failure cause) {
        open.remove(group);
        stopLater(group, cause);
    }

    /** The rank has closed a group: what stands for it stays until all have. */
    void stopLater(GroupKey group, Failure cause) {
        world.later(() -> stop(group, cause));
    }

    private void stop(GroupKey group, Failure cause) {
        for (Map<CallKey, MemberCall> batch : List.copyOf(work)) {
            for (MemberCall entry : List.copyOf(batch.values())) {
                if (GroupKey.of(entry.key()).equals(group)) {
                    end(entry, cause);
                }
            }
        }
    }

    void close(Failure cause) {
        batches.keySet().forEach(group -> stop(group, cause));
    }

    /** The rank dies. */
    void die() {
        work.clear();
    }
}
