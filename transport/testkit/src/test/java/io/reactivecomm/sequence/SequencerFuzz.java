package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.testkit.sim.EventQueue;
import io.reactivecomm.testkit.sim.SeededRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Worlds of sequencers, one for each seed: whether each call ends as it should, and all engines see one order. */
public final class SequencerFuzz {

    /** What {@link #firstFailure} says when no seed failed. */
    public static final long NO_SEED = -1;

    private int places;
    private int newPlaces;

    /** {@return the first of consecutive seeds that fails, or {@link #NO_SEED}} */
    public long firstFailure(long from, int count) {
        for (long seed = from; seed < from + count; seed++) {
            if (violation(seed) != null) {
                return seed;
            }
        }
        return NO_SEED;
    }

    /** {@return what is wrong with a seed, or null} */
    public @Nullable String violation(long seed) {
        return run(seed, new EventQueue(new SeededRandom(~seed), false));
    }

    /** {@return a seed's last events, its plan, and what is wrong with it} */
    public String report(long seed) {
        EventQueue agenda = new EventQueue(new SeededRandom(~seed), true);
        String violation = run(seed, agenda);
        return "seed=" + seed + "\n" + String.join("\n",
                agenda.lines()) + "\nplan: " + FuzzPlan.of(new SeededRandom(seed)) + "\nseed=" + seed + ", violation: "
                + violation;
    }

    /** {@return the share of announced places that were short references} */
    double recurring() {
        return 1 - newPlaces / (double) places;
    }

    private @Nullable String run(long seed, EventQueue agenda) {
        SeededRandom dice = new SeededRandom(seed);
        FuzzPlan plan = FuzzPlan.of(dice);
        try {
            FuzzWorld world = new FuzzWorld(plan, dice, agenda);
            world.run();
            requireEnds(world);
            requireOneOrder(world);
            requireNothingLeft(world);
            requireReferences(world);
            places += world.places();
            newPlaces += world.newPlaces();
            return null;
        } catch (RuntimeException | AssertionError e) {
            return e + " at " + List.of(e.getStackTrace()).subList(0, Math.min(6, e.getStackTrace().length));
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static void requireEnds(FuzzWorld world) {
        for (int rank = 0; rank < world.ranks().size(); rank++) {
            FuzzRank each = world.rank(rank);
            if (each.isDead()) {
                continue;
            }
            for (FuzzPlan.Start start : world.plan().starts().get(rank)) {
                boolean missing = world.plan().trouble(FuzzPlan.Kind.MISSING, rank, start.call()) != null;
                require(missing || each.begun().contains(start.call()) || each.refused().contains(start.call()), "was never begun: rank=" + rank + ", call=" + start.call());
            }
            for (int call : each.begun()) {
                require(each.ends().containsKey(call), "has not ended: rank=" + rank + ", call=" + call);
                requireRightEnd(world.plan(), rank, call, each.ends().get(call));
                requireAllOrNone(world, call);
                requireToldAtOnce(world, rank, call);
            }
        }
    }

    private static void requireRightEnd(FuzzPlan plan, int rank, int call, @Nullable Failure end) {
        int group = plan.calls().get(call).group();
        require(plan.mayTimeOut(call) || end == null || end.kind() != Failure.Kind.TIMEOUT, "should have heard of it: rank=" + rank + ", end=" + end);
        if (plan.isSpoiled(group)) {
            return;
        }
        FuzzPlan.Trouble trouble = plan.troubles().stream()
                .filter(each -> each.call() == call && each.kind().compareTo(FuzzPlan.Kind.ENGINE_FAILS) < 0)
                .findFirst().orElse(null);
        if (plan.mayFailWithRun(call)) {
            require(end == null || end.kind() != Failure.Kind.TIMEOUT || plan.mayTimeOut(call), "should have failed with its run: " + end);
            require(end == null || end.kind() != Failure.Kind.INTERNAL, "should have failed with its run: rank="
                    + rank + ", call=" + call + ", end=" + end);
            return;
        }
        boolean alone = plan.groups().get(group).size() == 1;
        String what = "rank=" + rank + ", call=" + call + ", end=" + end;
        if (trouble == null || (alone && trouble.kind() == FuzzPlan.Kind.MISMATCH)) {
            require(end == null, "should have succeeded: " + what);
            return;
        }
        require(end != null, "should have failed: " + what);
        switch (trouble.kind()) {
            case REFUSED -> require(end.kind() == Failure.Kind.INVALID && end.culprit() == trouble.rank(), "should tell of the refusal: " + what);
            case MISMATCH -> require(end.kind() == Failure.Kind.MISMATCH && end.text().contains("rank " + rank + " called"), "who called what? " + what);
            default -> require(end.kind() == Failure.Kind.TIMEOUT && end.missing().contains(trouble.rank()), "who was missing? " + what);
        }
    }

    /** A call that fails with its run does so on the way there and back, without anybody being asked. */
    private static void requireToldAtOnce(FuzzWorld world, int rank, int call) {
        List<FuzzPlan.Trouble> troubles = world.plan().troubles();
        FuzzRank each = world.rank(rank);
        if (troubles.size() == 1 && troubles.getFirst().kind() == FuzzPlan.Kind.RUN_FAILS && each.ends().get(call) != null) {
            long tookNanos = each.tookSince(troubles.getFirst().at(), call);
            require(tookNanos < Leader.DISPUTE_NANOS, "should have heard at once: rank=" + rank + ", call=" + call + ", took=" + tookNanos);
        }
    }

    /** What was announced of a run that fails runs to its end on all, and all else fails on all. */
    private static void requireAllOrNone(FuzzWorld world, int call) {
        FuzzPlan plan = world.plan();
        int group = plan.calls().get(call).group();
        if (!plan.mayFailWithRun(call) || plan.isSpoiled(group)) {
            return;
        }
        long good = plan.groups().get(group).stream()
                .filter(rank -> world.rank(rank).ends().containsKey(call) && world.rank(rank).ends().get(call) == null)
                .count();
        require(good == 0 || good == plan.groups().get(group).size(), "succeeded on some ranks: call=" + call + ", ranks=" + good);
    }

    private static void requireOneOrder(FuzzWorld world) {
        for (FuzzRank one : world.ranks()) {
            for (FuzzRank other : world.ranks()) {
                requireSameOrder(one.engine().history(), other.engine().history());
                for (Map.Entry<GroupKey, List<List<CallKey>>> group : one.engine().batches().entrySet()) {
                    List<List<CallKey>> mine = group.getValue();
                    List<List<CallKey>> its = other.engine().batches().getOrDefault(group.getKey(), List.of());
                    int shared = Math.min(mine.size(), its.size());
                    require(mine.subList(0, shared).equals(its.subList(0, shared)), "a group was cut in two ways: " + mine + ", " + its);
                }
            }
        }
    }

    private static void requireSameOrder(List<Object> one, List<Object> other) {
        List<Object> shared = new ArrayList<>(one);
        Set<Object> its = new HashSet<>(other);
        shared.retainAll(its);
        List<Object> otherShared = new ArrayList<>(other);
        otherShared.retainAll(new HashSet<>(one));
        require(shared.equals(otherShared), "two orders: " + shared + ", " + otherShared);
        require(its.size() == other.size(), "a call ran twice: " + other);
    }

    private static void requireNothingLeft(FuzzWorld world) {
        for (FuzzRank rank : world.ranks()) {
            require(rank.isDead() || rank.member().calls() == 0, "a member keeps calls that have ended");
            require(rank.isDead() || rank.member().next() == Leader.NEVER, "a member waits for what has ended");
            require(rank.isGone() || rank.engine().held().size() == rank.member().opened(),
                    "an engine holds other groups than its member knows: " + rank.engine().held() + ", known=" + rank.member().opened());
        }
        requireGroupsFreed(world);
        boolean led = world.ranks().stream().noneMatch(FuzzRank::isGone) || world.plan().departs();
        boolean allSpeak = world.plan().troubles().stream()
                .noneMatch(trouble -> trouble.kind() == FuzzPlan.Kind.MISSING && world.plan().run(trouble) == null);
        require(!led || !allSpeak || world.leader().failed() == 0, "the leader remembers failures of which all have spoken");
        require(!led || world.leader().pending() == 0, "the leader keeps calls that have ended: " + world.leader().pending());
    }

    /** Without trouble what all have closed is freed; a group that fails reaches all engines that are left. */
    private static void requireGroupsFreed(FuzzWorld world) {
        FuzzPlan plan = world.plan();
        boolean allClose = plan.troubles().isEmpty() && plan.closing() != FuzzPlan.Closing.NEVER;
        require(!allClose || world.leader().opened() == 0, "the leader keeps groups that all have closed: " + world.leader().opened());
        for (FuzzRank rank : world.ranks()) {
            require(!allClose || rank.engine().held().isEmpty(), "an engine keeps groups that all have closed: " + rank.engine().held());
            for (FuzzPlan.Trouble trouble : plan.troubles()) {
                GroupKey group = new GroupKey(0, trouble.group());
                boolean isMember = !rank.isGone() && plan.groups().get(trouble.group()).contains(world.ranks().indexOf(rank));
                require(!isMember || trouble.kind() != FuzzPlan.Kind.ABORT || rank.engine().isAbandoned(group), "an engine does not know of an abort");
            }
            for (GroupKey held : rank.engine().held()) {
                List<Integer> members = plan.groups().get((int) held.id());
                require(rank.isGone() || members.stream().noneMatch(member -> world.rank(member).isDead()), "an engine keeps a group that lost a rank: " + held);
            }
        }
    }

    private static int depth(FuzzPlan.Call call) {
        Enclosure enclosure = call.key().enclosure();
        return enclosure == null ? 0 : enclosure.depth();
    }

    /** Where nothing is evicted and nothing goes wrong, only the first call of a name is announced by its name. */
    private static void requireReferences(FuzzWorld world) {
        FuzzPlan plan = world.plan();
        if (plan.troubles().isEmpty() && plan.slots() == RecentNames.SLOTS) {
            Set<String> names = new HashSet<>();
            int news = 0;
            for (FuzzPlan.Call call : plan.calls()) {
                if (names.add(call.group() + "/" + call.key().name() + "/" + depth(call))) {
                    news += plan.groups().get(call.group()).size();
                }
            }
            require(world.newPlaces() == news, "names announced: " + world.newPlaces() + ", names there are: " + news);
        }
    }
}
