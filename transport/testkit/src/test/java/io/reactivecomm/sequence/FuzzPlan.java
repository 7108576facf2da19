package io.reactivecomm.sequence;

import io.reactivecomm.spi.AssembledCalls;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.Formation;
import io.reactivecomm.testkit.sim.SeededRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The events of one seed: groups that overlap, the calls that all their members make, when each rank subscribes to each, and what goes
 * wrong.
 *
 * @param groups members by world rank; the first is the world
 * @param parents by group, each made of an earlier one; the world has none, −1
 * @param calls a rank's call may wait for the end of an earlier one of this list, never of a later one: so no program is wrong in itself
 * @param starts by world rank
 * @param slots of every ring
 * @param coalesced whether engines run a batch as a whole, or one call after the other
 * @param departs whether ranks leave the world when their own calls have ended, others' or not
 * @param closing whether ranks close each group when their own calls in it have ended, others' or not
 */
record FuzzPlan(
        int worldSize,
        Formation formation,
        List<List<Integer>> groups,
        List<Integer> parents,
        List<Call> calls,
        List<List<Start>> starts,
        List<Trouble> troubles,
        int slots,
        boolean coalesced,
        boolean departs,
        Closing closing,
        long slowness) {

    /** What a composite is. */
    static final String WORDS = "step";

    private static final List<Kind> DRAWN =
            Stream.of(Kind.values()).filter(kind -> kind != Kind.OPENING_FAILS).toList();

    private static final List<String> NAMES = List.of("", "a", "b", "layer1.weight", "λ");

    /** The moment in which a rank closes a group in which it has no more calls. */
    enum Closing {
        NEVER,
        /** In the code that is told of the last one's end. */
        AT_ONCE,
        /** Some time after. */
        LATER
    }

    record Call(CallKey.Ticket key, int group, int priority) {}

    /** @param after the call whose end it waits for, or −1 */
    record Start(int call, long at, int after) {}

    enum Kind {
        /** A rank calls something else. */
        MISMATCH,
        /** A rank's checks fail. */
        REFUSED,
        /** A rank never calls. */
        MISSING,
        /** A rank's engine fails. */
        ENGINE_FAILS,
        /** A rank's engine fails to open a group. */
        OPENING_FAILS,
        /** The group is aborted. */
        ABORT,
        /** A rank dies. */
        LOST,
        /** A rank leaves the world in good order, but too early. */
        LEAVES,
        /** A rank closes the group too early. */
        CLOSES,
        /** A composite fails on a rank. */
        RUN_FAILS,
        /** A rank takes a composite for another one. */
        RUN_DIFFERS;

        boolean isOfRun() {
            return this == RUN_FAILS || this == RUN_DIFFERS;
        }

        boolean isOfGroup() {
            return this == ABORT || this == LOST || this == LEAVES || this == OPENING_FAILS;
        }
    }

    /** @param at when, for what happens at a time */
    record Trouble(Kind kind, int rank, int call, int group, long at) {}

    static FuzzPlan of(SeededRandom dice) {
        int worldSize = 1 + dice.below(5);
        List<List<Integer>> groups = groups(worldSize, dice);
        List<Call> calls = calls(groups.size(), dice);
        long span = dice.oneOf(10, 1_000, 100_000, 4 * (int) Leader.DISPUTE_NANOS);
        List<Trouble> troubles = new ArrayList<>();
        int count = dice.percent(35) ? 0 : dice.percent(80) ? 1 : 2;
        for (int i = 0; i < count; i++) {
            troubles.add(trouble(calls, groups, worldSize, span, dice));
        }
        List<List<Start>> starts = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            starts.add(starts(rank, calls, groups, span, dice));
        }
        int slots = dice.oneOf(1, 2, 4, RecentNames.SLOTS);
        boolean coalesced = dice.percent(50);
        boolean departs = troubles.isEmpty() && dice.percent(50);
        Closing closing = troubles.isEmpty() ? dice.oneOf(List.of(Closing.values())) : Closing.NEVER;
        long slowness = dice.oneOf(1, 100, 20_000);
        // With dice of its own: so plans are, but for the engine, what they were.
        SeededRandom engines = new SeededRandom(starts.toString().hashCode());
        Formation formation = engines.oneOf(List.of(Formation.values()));
        if (troubles.isEmpty() && !departs && engines.percent(15)) {
            int group = engines.below(groups.size());
            // Of a rank that is no member, too: it may be one that helps.
            int rank = engines.percent(50) ? engines.oneOf(groups.get(group)) : engines.below(worldSize);
            troubles.add(new Trouble(Kind.OPENING_FAILS, rank, 0, group, 0));
        } else if (troubles.stream().allMatch(each -> each.kind.isOfGroup()) && !troubles.isEmpty()) {
            closing = engines.oneOf(List.of(Closing.values()));
        }
        return new FuzzPlan(worldSize, formation, groups, parents(groups, engines), calls, starts, troubles, slots, coalesced, departs, closing, slowness);
    }

    /** Each group is made of the world or of an earlier one that has all its members. */
    private static List<Integer> parents(List<List<Integer>> groups, SeededRandom dice) {
        List<Integer> parents = new ArrayList<>(List.of(-1));
        for (int i = 1; i < groups.size(); i++) {
            int parent = dice.below(i);
            parents.add(groups.get(parent).containsAll(groups.get(i)) ? parent : 0);
        }
        return parents;
    }

    private static List<List<Integer>> groups(int worldSize, SeededRandom dice) {
        List<List<Integer>> groups = new ArrayList<>();
        groups.add(IntStream.range(0, worldSize).boxed().toList());
        for (int i = dice.below(4); i > 0; i--) {
            List<Integer> members = new ArrayList<>(groups.getFirst());
            dice.shuffle(members);
            groups.add(List.copyOf(members.subList(0, 1 + dice.below(worldSize))));
        }
        return groups;
    }

    /** A few steps, each with the same calls: assembled anew, or subscribed to once more; by themselves, or in composite calls, two deep. */
    private static List<Call> calls(int groups, SeededRandom dice) {
        int perStep = 1 + dice.below(6);
        int steps = 1 + dice.below(4);
        boolean repeats = dice.percent(30);
        boolean composes = dice.percent(50);
        boolean isStepped = !repeats && dice.percent(30);
        List<Template> templates = new ArrayList<>();
        for (int i = 0; i < perStep; i++) {
            int depth = composes ? dice.below(3) : 0;
            templates.add(new Template(dice.below(groups), dice.oneOf(NAMES), dice.below(3), depth));
        }
        List<Call> all = new ArrayList<>();
        Map<String, Long> tickets = new HashMap<>();
        for (int step = 0; step < steps; step++) {
            Map<String, Long> inside = new HashMap<>();
            long number = isStepped ? step : CallKey.NO_STEP;
            for (Template each : templates) {
                Enclosure enclosure = enclosure(each.depth, number, repeats || isStepped ? 0 : step, repeats ? 1 + step : 1);
                Map<String, Long> counter = enclosure == null && !repeats && !isStepped ? tickets : inside;
                long ticket = counter.merge(each.depth + "/" + each.group + each.name, 1L, Long::sum) - 1;
                int ordinal = enclosure == null && repeats ? 1 + step : 1;
                long own = enclosure == null ? number : CallKey.NO_STEP;
                all.add(new Call(new CallKey.Ticket(0, each.group, own, each.name, ticket, ordinal, enclosure), each.group, each.priority));
            }
        }
        return all;
    }

    /** The part of a plan that recurs in each step. */
    private record Template(int group, String name, int priority, int depth) {}

    /** {@return a step's composite of the world's group, or one in it} */
    private static @Nullable Enclosure enclosure(int depth, long number, long step, int ordinal) {
        if (depth == 0) {
            return null;
        }
        Enclosure outer = enclosure(depth - 1, number, step, ordinal);
        CallKey.Ticket run = outer == null
                ? new CallKey.Ticket(0, 0, number, "step", step, ordinal, null)
                : new CallKey.Ticket(0, 0, "part", 0, 1, outer);
        return new Enclosure(run, 0, WORDS);
    }

    private static Trouble trouble(List<Call> calls, List<List<Integer>> groups, int worldSize, long span, SeededRandom dice) {
        Kind kind = dice.oneOf(DRAWN);
        int call = dice.below(calls.size());
        boolean hasNoRun = kind.isOfRun() && calls.get(call).key.enclosure() == null;
        // Who differs is found out a tenth of a second after the first, and who comes later is said not to have called.
        boolean isSpread = kind == Kind.MISMATCH && span > Leader.DISPUTE_NANOS;
        if (hasNoRun || isSpread) {
            kind = Kind.REFUSED;
        }
        boolean ofCall = kind.compareTo(Kind.OPENING_FAILS) < 0;
        int group = ofCall ? calls.get(call).group : dice.below(groups.size());
        int rank = kind == Kind.LOST || kind == Kind.LEAVES || kind.isOfRun() ? dice.below(worldSize) : dice.oneOf(groups.get(group));
        return new Trouble(kind, rank, call, group, dice.between(0, 3 * span));
    }

    private static List<Start> starts(int rank, List<Call> calls, List<List<Integer>> groups, long span, SeededRandom dice) {
        List<Start> starts = new ArrayList<>();
        List<Integer> own = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            if (groups.get(calls.get(i).group).contains(rank)) {
                int after = !own.isEmpty() && dice.percent(30) ? dice.oneOf(own) : -1;
                starts.add(new Start(i, dice.between(0, span), after));
                own.add(i);
            }
        }
        return starts;
    }

    EngineGroup group(int number, int rank) {
        List<Integer> members = groups.get(number);
        List<Long> ancestors = new ArrayList<>();
        for (int parent = parents.get(number); parent > 0; parent = parents.get(parent)) {
            ancestors.add((long) parent);
        }
        return new EngineGroup(number, 0, members, members.indexOf(rank), ancestors, AssembledCalls.UNKNOWN);
    }

    /** {@return the run that a trouble is about, or null} */
    CallKey.@Nullable Ticket run(Trouble trouble) {
        Enclosure enclosure = calls.get(trouble.call).key.enclosure();
        boolean isOfRun = trouble.kind.isOfRun() || trouble.kind == Kind.MISSING;
        return isOfRun && enclosure != null ? enclosure.run() : null;
    }

    /** {@return whether a call may fail with a run that it is in} */
    boolean mayFailWithRun(int call) {
        Enclosure enclosure = calls.get(call).key.enclosure();
        return enclosure != null && troubles.stream().map(this::run).anyMatch(run -> run != null && enclosure.isPartOf(run));
    }

    /** {@return the trouble of that kind that a rank has with a call, or null} */
    @Nullable Trouble trouble(Kind kind, int rank, int call) {
        for (Trouble each : troubles) {
            if (each.kind == kind && each.rank == rank && each.call == call) {
                return each;
            }
        }
        return null;
    }

    /**
     * {@return whether a call may end by its deadline: a rank never calls, also not in a composite whose body waits there for what comes after that
     * call elsewhere; or the leader has left in good order before another trouble came}
     */
    boolean mayTimeOut(int call) {
        return troubles.stream().anyMatch(trouble -> trouble.kind == Kind.MISSING && trouble.call == call && (calls.get(call).key.enclosure() == null || isDependent()))
                || (troubles.size() > 1 && troubles.stream().anyMatch(trouble -> trouble.kind == Kind.LEAVES && trouble.rank == Leader.RANK));
    }

    private boolean isDependent() {
        return starts.stream().flatMap(List::stream).anyMatch(start -> start.after >= 0);
    }

    /** {@return whether anything may become of a group's calls, as long as they end} */
    boolean isSpoiled(int group) {
        return troubles.size() > 1 || troubles.stream().anyMatch(trouble -> switch (trouble.kind) {
            case MISMATCH, REFUSED, MISSING, RUN_FAILS, RUN_DIFFERS -> false;
            // One that is being split from a group that fails, or helped by a rank that goes, is opened by its members alone.
            case CLOSES, ENGINE_FAILS, ABORT, OPENING_FAILS -> trouble.group == group;
            case LOST, LEAVES -> trouble.rank == Leader.RANK || groups.get(group).contains(trouble.rank);
        });
    }
}
