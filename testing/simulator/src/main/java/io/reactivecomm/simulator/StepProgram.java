package io.reactivecomm.simulator;

import io.reactivecomm.internal.group.GroupSteps;
import io.reactivecomm.simulator.StepPlan.Kind;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A program of steps that runs beside a scenario's calls, and its judge: what all ranks have made succeeds on all, and who waits for anything else is told
 * long before its deadline.
 */
final class StepProgram implements VirtualWorld.Program {

    private final Scenario scenario;
    private final VirtualNetwork network;
    private final StepPlan plan;
    private final List<StepRank> programs = new ArrayList<>();

    StepProgram(Scenario scenario, VirtualNetwork network, StepPlan plan) {
        this.scenario = scenario;
        this.network = network;
        this.plan = plan;
    }

    @Override
    public void begin(List<VirtualRank> ranks) {
        ranks.forEach(rank -> programs.add(new StepRank(plan, rank, network, scenario.selection())));
        programs.forEach(StepRank::begin);
    }

    @Override
    public void inspect() {
        Map<CallKey, List<StepCaller>> together = new LinkedHashMap<>();
        Map<StepPlan.Made, List<StepCaller>> flows = new LinkedHashMap<>();
        for (StepRank program : programs) {
            for (StepCaller caller : program.callers()) {
                ended(caller);
                if (caller.part().kind() == Kind.COLLECTIVE || caller.part().kind() == Kind.COMPOSITE) {
                    together.computeIfAbsent(caller.key(), ignored -> new ArrayList<>())
                            .add(caller);
                } else {
                    flows.computeIfAbsent(caller.made(), ignored -> new ArrayList<>())
                            .add(caller);
                }
            }
        }
        if (scenario.trouble().kind() == WorldFault.Kind.NONE) {
            together.values().forEach(this::together);
        }
        if (scenario.trouble().kind() == WorldFault.Kind.NONE && !mayLackCredit()) {
            flows.forEach(StepProgram::flow);
        }
    }

    /** Nobody is told of a message that waits behind others for credit, and these wait for receives that never come. */
    private boolean mayLackCredit() {
        return scenario.plans().stream().anyMatch(plan -> plan instanceof CallPlan.Flow && isFlawed(plan));
    }

    private static boolean isFlawed(CallPlan plan) {
        BodyStep inside = plan.inside();
        return plan.flaw() != CallPlan.Flaw.NONE
                || inside != null && inside.body().isFaulty();
    }

    private static void ended(StepCaller caller) {
        if (caller.isUnfinished() && !caller.program().rank().hasCrashed()) {
            throw new Violation("a call of a step never ended: " + caller);
        }
        if (caller.isRefused() && caller.part().lag() <= GroupSteps.KEPT) {
            throw new Violation("a step was forgotten too early: " + caller);
        }
    }

    private void together(List<StepCaller> parts) {
        boolean haveAll = parts.size() == scenario.worldSize() && parts.stream().allMatch(StepCaller::isMade);
        for (StepCaller caller : parts) {
            if (haveAll && !caller.hasSucceeded()) {
                throw new Violation(
                        "a call that all have made in a step failed: " + caller + ", failure=" + caller.failure());
            }
            if (!haveAll && caller.isMade()) {
                told(caller, parts.stream().anyMatch(StepCaller::isRefused));
            }
        }
    }

    private static void told(StepCaller caller, boolean isRefusedElsewhere) {
        Failure failure = caller.failure();
        boolean isTold = failure != null
                && failure.kind() == Failure.Kind.MISMATCH
                && failure.text().contains(" is in scope ");
        boolean isOfRefusal = failure != null && failure.kind() == Failure.Kind.INVALID && isRefusedElsewhere;
        if (!isTold && !isOfRefusal) {
            throw new Violation(
                    "who waits for what is not made in a step is not told so: " + caller + ", failure=" + failure);
        }
    }

    private static void flow(StepPlan.Made made, List<StepCaller> parts) {
        List<StepCaller> sends = parts.stream()
                .filter(caller -> caller.part().kind() == Kind.SEND && caller.isMade())
                .toList();
        List<StepCaller> receives = parts.stream()
                .filter(caller -> caller.part().kind() != Kind.SEND && caller.isMade())
                .toList();
        boolean isRefused = parts.stream().anyMatch(StepCaller::isRefused);
        boolean isFromAny = receives.stream().anyMatch(caller -> caller.part().kind() == Kind.RECEIVE_FROM_ANY);
        List<Long> sent = values(sends);
        List<Long> received = values(receives);
        if (!sent.equals(received)) {
            throw new Violation("messages that were sent are not those that were received: sent=" + sent + ", received="
                    + received + ", " + made);
        }
        if (!isRefused && !isFromAny && sent.size() != Math.min(sends.size(), receives.size())) {
            throw new Violation("a message of a step missed its receive: sent=" + sent.size() + ", sends="
                    + sends.size() + ", receives=" + receives.size() + ", " + made);
        }
        for (StepCaller caller : parts) {
            if (caller.isMade() && !caller.hasSucceeded() && !hasWaited(caller)) {
                told(caller, isRefused);
            }
        }
    }

    /** A receive from any does not know who should have sent to it. */
    private static boolean hasWaited(StepCaller caller) {
        Failure failure = caller.failure();
        if (caller.part().kind() != Kind.RECEIVE_FROM_ANY || failure == null) {
            return false;
        }
        if (failure.kind() == Failure.Kind.MISMATCH) {
            throw new Violation(
                    "a receive from any fails because one rank sends nothing: " + caller + ", failure=" + failure);
        }
        return failure.kind() == Failure.Kind.TIMEOUT;
    }

    private static List<Long> values(List<StepCaller> ends) {
        return ends.stream()
                .filter(StepCaller::hasSucceeded)
                .map(StepCaller::value)
                .sorted()
                .toList();
    }
}
