package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One rank's engine, as strict as they come: it works off what it is given in that order and nothing beside it, and a call completes only
 * when all members of its group are at it; so does an opening when all that take part are. It takes no call of a group that it does not have open.
 */
final class FuzzEngine {

    private final FuzzWorld world;
    private final int rank;
    private final Deque<Step> work = new ArrayDeque<>();
    /** What the rank began, by group, batch by batch. */
    private final Map<GroupKey, List<List<CallKey>>> batches = new LinkedHashMap<>();
    /** Calls, openings and freeings. */
    private final List<Object> history = new ArrayList<>();

    private final Set<Object> met = new HashSet<>();
    /** Groups that are being opened, or are open, and what of them is open. */
    private final Map<GroupKey, GroupOpening> held = new LinkedHashMap<>();

    private final Set<GroupKey> open = new HashSet<>();
    private final Set<GroupKey> abandoned = new HashSet<>();

    /** A piece of work: calls, or one opening or freeing. */
    private record Step(
            Map<CallKey, Given> calls,
            @Nullable GroupOpening opening,
            @Nullable GroupTurn turn) {}

    /** A call that it was given, by the identity that all have of it. @param number in the plan */
    record Given(MemberCall entry, CallCompletion end, int number, boolean fails, boolean isThrown) {

        EngineCall call() {
            return entry.call();
        }

        CallKey key() {
            return call().key();
        }
    }

    /** An engine's own error, with all of the batch in its hands. */
    static final class Thrown extends RuntimeException {

        private static final long serialVersionUID = 1;

        private Thrown() {
            super("planned", null, false, false);
        }
    }

    /** An opening or a freeing, the same on all ranks that take part. */
    record GroupTurn(long number, GroupKey group, boolean frees, List<Integer> ranks) {}

    FuzzEngine(FuzzWorld world, int rank) {
        this.world = world;
        this.rank = rank;
    }

    Map<GroupKey, List<List<CallKey>>> batches() {
        return batches;
    }

    List<Object> history() {
        return history;
    }

    /** {@return the groups of which it holds something} */
    Set<GroupKey> held() {
        return held.keySet();
    }

    boolean isAbandoned(GroupKey group) {
        return abandoned.contains(group);
    }

    void run(List<Given> batch) {
        Map<GroupKey, List<CallKey>> shares = new LinkedHashMap<>();
        Map<CallKey, Given> whole = new LinkedHashMap<>();
        require(
                batch.size() == 1 || batch.stream().noneMatch(this::sharesMemory),
                "a call that shares memory is merged with others: " + batch);
        for (Given entry : batch) {
            GroupKey group = GroupKey.of(entry.key());
            boolean isOpen = world.plan().formation() == Formation.NOBODY
                    || group.id() == EngineGroup.WORLD
                    || open.contains(group);
            require(isOpen && !abandoned.contains(group), "a call of a group that is not open: " + entry.key());
            history.add(entry.key());
            shares.computeIfAbsent(group, ignored -> new ArrayList<>()).add(entry.key());
            whole.put(entry.key(), entry);
            if (!world.plan().coalesced()) {
                work.add(new Step(new LinkedHashMap<>(Map.of(entry.key(), entry)), null, null));
            }
        }
        shares.forEach((group, keys) ->
                batches.computeIfAbsent(group, ignored -> new ArrayList<>()).add(keys));
        if (world.plan().coalesced()) {
            work.add(new Step(whole, null, null));
        }
        if (batch.stream().anyMatch(Given::isThrown)) {
            throw new Thrown();
        }
        world.meet();
    }

    /** {@return whether a call shares memory on any rank that makes it; the two ends of a message are two calls of the plan} */
    private boolean sharesMemory(Given entry) {
        return world.ranks().stream()
                .anyMatch(each -> each.program().begun().contains(entry.number())
                        && each.program().sharesMemory(entry.number()));
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    void open(GroupOpening opening) {
        GroupKey group = GroupKey.of(opening.group());
        EngineGroup from = opening.from();
        GroupKey parent = from == null ? null : GroupKey.of(from);
        require(world.plan().formation() == Formation.PARENT || from == null, "a group is split, and need not be");
        require(!abandoned.contains(group), "a group is opened that was abandoned: " + group);
        require(
                held.put(group, opening) == null && opening.group().id() != EngineGroup.WORLD,
                "a group is opened twice: " + group);
        boolean isKnown = parent == null
                || parent.id() == EngineGroup.WORLD
                || open.contains(parent)
                || abandoned.contains(parent);
        require(isKnown, "a group is split from one that is not open: " + group);
        if (parent != null && abandoned.contains(parent)) {
            world.later(() -> fail(opening, new Failure(Failure.Kind.INTERNAL, rank, "nothing to split from")));
        }
        List<Integer> ranks = from == null ? opening.group().worldRanks() : from.worldRanks();
        begin(opening, new GroupTurn(opening.number(), group, false, ranks));
    }

    void free(GroupOpening opening) {
        GroupKey group = GroupKey.of(opening.group());
        require(open.remove(group), "a group is freed that is not open: " + group);
        begin(
                opening,
                new GroupTurn(opening.number(), group, true, opening.group().worldRanks()));
    }

    private void begin(GroupOpening opening, GroupTurn turn) {
        history.add(turn);
        work.add(new Step(new LinkedHashMap<>(), opening, turn));
        world.meet();
    }

    /** {@return the calls that the rank is at} */
    Set<CallKey> atWork() {
        return work.isEmpty() ? Set.of() : work.getFirst().calls.keySet();
    }

    /** {@return one of them} */
    Given given(CallKey key) {
        return work.getFirst().calls.get(key);
    }

    /** {@return the opening or freeing that the rank is at, or null} */
    @Nullable GroupTurn groupTurn() {
        return work.isEmpty() ? null : work.getFirst().turn;
    }

    /**
     * All that make a call are at it: it ends here in a while, unless it is stopped.
     *
     * @param fails whether it fails on one of them; then it hangs on the others
     */
    void meets(CallKey key, boolean fails) {
        if (met.add(key)) {
            world.later(() -> complete(key, fails));
        }
    }

    void meets(GroupTurn turn) {
        if (met.add(turn)) {
            world.later(() -> complete(turn));
        }
    }

    private void complete(CallKey key, boolean fails) {
        Given entry = work.isEmpty() ? null : given(key);
        if (entry != null && (!fails || entry.fails)) {
            end(entry, fails ? new Failure(Failure.Kind.INTERNAL, rank, "planned") : null);
        }
    }

    private void complete(GroupTurn turn) {
        if (!turn.equals(groupTurn())) {
            return;
        }
        List<FuzzPlan.Trouble> failures = world.plan().troubles().stream()
                .filter(trouble -> trouble.kind() == FuzzPlan.Kind.OPENING_FAILS
                        && trouble.group() == turn.group.id()
                        && !turn.frees)
                .filter(trouble -> turn.ranks.contains(trouble.rank()))
                .toList();
        GroupOpening opening = work.getFirst().opening;
        if (opening != null && failures.stream().anyMatch(trouble -> trouble.rank() == rank)) {
            fail(opening, new Failure(Failure.Kind.INTERNAL, rank, "planned"));
        } else if (opening != null && failures.isEmpty()) {
            done(opening, turn);
        }
    }

    private void done(GroupOpening opening, GroupTurn turn) {
        work.removeFirst();
        if (turn.frees || !opening.group().isMember()) {
            held.remove(turn.group);
        } else {
            open.add(turn.group);
        }
        world.rank(rank).end(opening, null);
        world.meet();
    }

    private void fail(GroupOpening opening, Failure cause) {
        work.removeIf(step -> step.opening == opening);
        world.rank(rank).end(opening, cause);
        world.meet();
    }

    private void end(Given entry, @Nullable Failure failure) {
        for (Step batch : List.copyOf(work)) {
            batch.calls.remove(entry.key());
        }
        work.removeIf(step -> step.opening == null && step.calls.isEmpty());
        world.rank(rank).end(entry, failure);
        world.meet();
    }

    /** Stops what runs in a group, in a while. */
    void abandon(EngineGroup group, Failure cause) {
        GroupKey key = GroupKey.of(group);
        GroupOpening opening = held.remove(key);
        open.remove(key);
        boolean comesAnew = cause.equals(FailureTexts.openedAnew(key));
        if (!comesAnew) {
            abandoned.add(key);
        }
        world.later(() -> {
            // Calls that have come meanwhile are those of the opening that came anew.
            if (!comesAnew) {
                stop(key, cause);
            }
            work.stream()
                    .map(Step::opening)
                    .filter(each -> each != null && each == opening)
                    .findFirst()
                    .ifPresent(each -> fail(each, cause));
        });
    }

    /** Stops what runs in a group, which is freed later. */
    void closeGroup(GroupKey group, Failure cause) {
        world.later(() -> stop(group, cause));
    }

    private void stop(GroupKey group, Failure cause) {
        for (Step batch : List.copyOf(work)) {
            for (Given entry : List.copyOf(batch.calls.values())) {
                if (GroupKey.of(entry.key()).equals(group)) {
                    end(entry, cause);
                }
            }
        }
    }

    void close(Failure cause) {
        batches.keySet().forEach(group -> stop(group, cause));
        work.clear();
        held.clear();
        open.clear();
    }

    /** The rank dies. */
    void die() {
        work.clear();
        held.clear();
    }
}
