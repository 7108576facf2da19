package io.reactivecomm.sequence;

import io.reactivecomm.sequence.FuzzPlan.Closing;
import io.reactivecomm.sequence.FuzzPlan.Kind;
import io.reactivecomm.sequence.FuzzPlan.Start;
import io.reactivecomm.sequence.FuzzPlan.Trouble;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The plans of worlds in which all members of a group make the same calls, by themselves or in composite calls, in any order. */
final class CallPlans {

    /** What goes wrong in some plan. */
    static final List<Kind> KINDS =
            Stream.of(Kind.values()).filter(kind -> kind != Kind.SHORT).toList();

    private static final List<Kind> DRAWN = KINDS.stream()
            .filter(kind -> kind != Kind.OPENING_FAILS && kind != Kind.ENGINE_THROWS)
            .toList();

    private static final List<String> NAMES = List.of("", "a", "b", "layer1.weight", "λ");

    private CallPlans() {}

    static FuzzPlan of(SeededRandom dice) {
        int worldSize = 1 + dice.below(5);
        List<List<Integer>> groups = groups(worldSize, dice);
        List<FuzzCall> calls = calls(groups.size(), dice);
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
        } else if (troubles.stream().allMatch(each -> each.kind().isOfGroup()) && !troubles.isEmpty()) {
            closing = engines.oneOf(List.of(Closing.values()));
        }
        List<Integer> parents = FuzzPlan.parents(groups, engines);
        boolean throwsIt = engines.percent(50);
        troubles.replaceAll(each -> throwsIt && each.kind() == Kind.ENGINE_FAILS ? each.as(Kind.ENGINE_THROWS) : each);
        return new FuzzPlan(
                worldSize,
                formation,
                groups,
                parents,
                calls,
                starts,
                troubles,
                slots,
                coalesced,
                departs,
                closing,
                slowness,
                FuzzPlan.ONE_STEP);
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
    private static List<FuzzCall> calls(int groups, SeededRandom dice) {
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
        List<FuzzCall> all = new ArrayList<>();
        Map<String, Long> tickets = new HashMap<>();
        for (int step = 0; step < steps; step++) {
            Map<String, Long> inside = new HashMap<>();
            long number = isStepped ? step : CallKey.NO_STEP;
            for (Template each : templates) {
                Enclosure enclosure =
                        FuzzPlan.enclosure(each.depth, number, repeats || isStepped ? 0 : step, repeats ? 1 + step : 1);
                Map<String, Long> counter = enclosure == null && !repeats && !isStepped ? tickets : inside;
                long ticket = counter.merge(each.depth + "/" + each.group + each.name, 1L, Long::sum) - 1;
                int ordinal = enclosure == null && repeats ? 1 + step : 1;
                long own = enclosure == null ? number : CallKey.NO_STEP;
                all.add(new FuzzCall.All(
                        new CallKey.Ticket(0, each.group, own, each.name, ticket, ordinal, enclosure),
                        each.group,
                        each.priority));
            }
        }
        return all;
    }

    /** The part of a plan that recurs in each step. */
    private record Template(int group, String name, int priority, int depth) {}

    private static Trouble trouble(
            List<FuzzCall> calls, List<List<Integer>> groups, int worldSize, long span, SeededRandom dice) {
        Kind kind = dice.oneOf(DRAWN);
        int call = dice.below(calls.size());
        boolean hasNoRun = kind.isOfRun() && calls.get(call).enclosure() == null;
        // Who differs is found out a tenth of a second after the first, and who comes later is said not to have called.
        boolean isSpread = kind == Kind.MISMATCH && span > Leader.DISPUTE_NANOS;
        if (hasNoRun || isSpread) {
            kind = Kind.REFUSED;
        }
        boolean ofCall = kind.isOfOne() || kind == Kind.ENGINE_FAILS;
        int group = ofCall ? calls.get(call).group() : dice.below(groups.size());
        int rank = kind == Kind.LOST || kind == Kind.LEAVES || kind.isOfRun()
                ? dice.below(worldSize)
                : dice.oneOf(groups.get(group));
        return new Trouble(kind, rank, call, group, dice.between(0, 3 * span));
    }

    private static List<Start> starts(
            int rank, List<FuzzCall> calls, List<List<Integer>> groups, long span, SeededRandom dice) {
        List<Start> starts = new ArrayList<>();
        List<Integer> own = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            if (groups.get(calls.get(i).group()).contains(rank)) {
                int after = !own.isEmpty() && dice.percent(30) ? dice.oneOf(own) : -1;
                starts.add(new Start(i, dice.between(0, span), after));
                own.add(i);
            }
        }
        return starts;
    }
}
