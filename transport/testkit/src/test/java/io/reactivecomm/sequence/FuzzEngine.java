package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
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
    private final Deque<Map<CallKey.Ticket, MemberCall>> work = new ArrayDeque<>();
    /** What the rank began, by group, batch by batch. */
    private final Map<GroupKey, List<List<CallKey.Ticket>>> batches = new LinkedHashMap<>();
    private final List<CallKey.Ticket> history = new ArrayList<>();
    private final Set<CallKey.Ticket> met = new HashSet<>();

    FuzzEngine(FuzzWorld world, int rank) {
        this.world = world;
        this.rank = rank;
    }

    Map<GroupKey, List<List<CallKey.Ticket>>> batches() {
        return batches;
    }

    List<CallKey.Ticket> history() {
        return history;
    }

    void run(List<MemberCall> batch) {
        Map<GroupKey, List<CallKey.Ticket>> shares = new LinkedHashMap<>();
        Map<CallKey.Ticket, MemberCall> whole = new LinkedHashMap<>();
        for (MemberCall entry : batch) {
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

    /** {@return the calls that the rank is at} */
    Set<CallKey.Ticket> atWork() {
        return work.isEmpty() ? Set.of() : work.getFirst().keySet();
    }

    /** All members are at a call: it ends here in a while, unless it is stopped. */
    void meets(CallKey.Ticket key) {
        if (met.add(key)) {
            world.later(() -> complete(key));
        }
    }

    private void complete(CallKey.Ticket key) {
        MemberCall entry = work.isEmpty() ? null : work.getFirst().get(key);
        int number = world.number(key);
        boolean fails = world.plan().trouble(FuzzPlan.Kind.ENGINE_FAILS, rank, number) != null;
        boolean hangs = !fails && world.plan().troubles().stream()
                .anyMatch(trouble -> trouble.kind() == FuzzPlan.Kind.ENGINE_FAILS && trouble.call() == number);
        if (entry != null && !hangs) {
            end(entry, fails ? new Failure(Failure.Kind.INTERNAL, rank, "planned") : null);
        }
    }

    private void end(MemberCall entry, Failure failure) {
        for (Map<CallKey.Ticket, MemberCall> batch : List.copyOf(work)) {
            batch.remove(entry.key());
        }
        work.removeIf(Map::isEmpty);
        world.rank(rank).end(entry, failure);
        world.meet();
    }

    /** Stops what runs in a group, in a while. */
    void abandon(GroupKey group, Failure cause) {
        world.later(() -> stop(group, cause));
    }

    private void stop(GroupKey group, Failure cause) {
        for (Map<CallKey.Ticket, MemberCall> batch : List.copyOf(work)) {
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
