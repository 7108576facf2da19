package io.reactivecomm.simulator;

import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.simulator.SimulatedComposite.Fault;
import io.reactivecomm.simulator.SimulatedComposite.RankBody;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Draws composite calls: bodies of calls that depend on each other, and of further composites. */
final class CompositeDraw {

    private static final int MOST_DEEP = 3;

    private final SeededRandom dice;
    private final List<SimulatedGroup> teams;
    private final long span;
    private final Function<SimulatedGroup, Shape> shapes;
    private final List<SimulatedComposite> plans = new ArrayList<>();

    /**
     * @param teams those that there are when one is drawn
     * @param span within how long all calls that are made by themselves are subscribed to
     * @param shapes draws what a group calls
     */
    CompositeDraw(SeededRandom dice, List<SimulatedGroup> teams, long span, Function<SimulatedGroup, Shape> shapes) {
        this.dice = dice;
        this.teams = teams;
        this.span = span;
        this.shapes = shapes;
    }

    /** {@return the composites, each behind the one that it is in} */
    List<SimulatedComposite> drawn() {
        return List.copyOf(plans);
    }

    /** A composite of a group; sometimes subscribed to two or three times. */
    void draw(SimulatedGroup team, PlanDraw calls) {
        draw(team, calls, null, 1);
    }

    private void draw(SimulatedGroup team, PlanDraw calls, @Nullable BodyStep inside, int depth) {
        for (CallKey.Ticket key : calls.runs(team)) {
            SimulatedComposite plan = run(team, key, inside);
            plans.add(plan);
            if (plan.fault() == Fault.PLAIN) {
                calls.plain(team, key, plan.odd(), new BodyStep(plan, BodyStep.INSTEAD));
            }
            Map<String, Integer> counted = new HashMap<>();
            for (int step = 0; step < plan.after().size(); step++) {
                BodyStep at = new BodyStep(plan, step);
                step(team, calls.at(at, counted), at, depth);
            }
        }
    }

    private void step(SimulatedGroup outer, PlanDraw calls, BodyStep at, int depth) {
        SimulatedGroup team = dice.percent(30) ? part(outer) : outer;
        if (depth < MOST_DEEP && dice.percent(20)) {
            draw(team, calls, at, depth + 1);
        } else if (team.size() > 1 && dice.percent(30)) {
            calls.flow(team);
        } else {
            calls.together(team, shapes.apply(team));
        }
    }

    /** {@return a group that is there from the beginning, and whose members all belong to another} */
    private SimulatedGroup part(SimulatedGroup outer) {
        List<SimulatedGroup> parts = new ArrayList<>(teams);
        parts.removeIf(each -> each.parent() != null || !outer.worldRanks().containsAll(each.worldRanks()));
        return parts.isEmpty() ? outer : dice.oneOf(parts);
    }

    private SimulatedComposite run(SimulatedGroup team, CallKey.Ticket key, @Nullable BodyStep inside) {
        Fault fault = team.size() == 1 || dice.percent(inside == null ? 50 : 75) ? Fault.NONE : fault(inside);
        int odd = fault == Fault.NONE ? -1 : dice.below(team.size());
        List<Integer> after = new ArrayList<>();
        for (int step = 0, steps = dice.oneOf(0, 1, 2, 2, 3, 4); step < steps; step++) {
            after.add(dice.percent(60) ? step - 1 : (int) dice.between(-1, step - 1));
        }
        boolean isWaitingOnly = dice.percent(20);
        int late = dice.percent(15) ? dice.below(team.size()) : -1;
        List<RankBody> parts = new ArrayList<>();
        for (int rank = 0; rank < team.size(); rank++) {
            boolean isOdd = rank == odd;
            if (!isOdd || fault != Fault.ABSENT && fault != Fault.PLAIN) {
                long at = dice.between(0, inside == null ? span : span / 4) + (rank == late ? 3 * span : 0);
                boolean stops = isOdd && (fault == Fault.FAILS || fault == Fault.LEAVES || fault == Fault.CANCELS);
                int stopsAt = stops ? dice.below(after.size() + 1) : (int) RankCall.NEVER;
                long stopsAfter = dice.percent(50) ? 0 : dice.between(0, span);
                parts.add(new RankBody(rank, at, timeout(fault, isOdd, isWaitingOnly), stopsAt, stopsAfter));
            }
        }
        return new SimulatedComposite(
                plans.size(), team, key, inside, fault, odd, List.copyOf(after), List.copyOf(parts));
    }

    /** In a body, a composite that a rank leaves out is a fault of the body. */
    private Fault fault(@Nullable BodyStep inside) {
        Fault fault = dice.oneOf(List.of(
                Fault.FAILS,
                Fault.FAILS,
                Fault.LEAVES,
                Fault.LEAVES,
                Fault.CANCELS,
                Fault.OTHER,
                Fault.PLAIN,
                Fault.INVALID,
                Fault.ABSENT,
                Fault.HURRY));
        return inside != null && fault == Fault.ABSENT ? Fault.FAILS : fault;
    }

    private long timeout(Fault fault, boolean isOdd, boolean isWaitingOnly) {
        return switch (fault) {
            case NONE, FAILS, LEAVES, CANCELS, OTHER, PLAIN, INVALID ->
                isWaitingOnly ? Composite.NO_DEADLINE : PlanDraw.PATIENT_NANOS;
            case ABSENT -> dice.oneOf(20_000_000, 50_000_000, 71_234_567);
            case HURRY -> isOdd ? 1 + dice.between(0, 3 * span) : 50_000_000;
        };
    }
}
