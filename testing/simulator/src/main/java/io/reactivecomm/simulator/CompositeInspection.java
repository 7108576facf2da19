package io.reactivecomm.simulator;

import io.reactivecomm.simulator.SimulatedComposite.Fault;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The inspection of calls in composites, of a world in which nothing happens any more: what all ranks have begun has run to its end, and what
 * some have not has failed on all, whatever became of the composite.
 */
final class CompositeInspection {

    /** With these no call that all have begun is ended by a deadline. */
    private static final Set<Fault> TIMELESS = EnumSet.complementOf(EnumSet.of(Fault.ABSENT, Fault.HURRY));

    private final Scenario scenario;
    private final List<Caller> callers;

    CompositeInspection(Scenario scenario, List<Caller> callers) {
        this.scenario = scenario;
        this.callers = callers;
    }

    void run() {
        for (CallPlan plan : scenario.plans()) {
            BodyStep inside = plan.inside();
            boolean isSound = plan.flaw() == CallPlan.Flaw.NONE
                    && inside != null
                    && isTimeless(inside)
                    && !isDisturbed(scenario, plan.team(), inside);
            if (isSound && plan instanceof CallPlan.Together together) {
                together(together, of(plan));
            } else if (isSound && plan instanceof CallPlan.Flow flow && !flow.fromAny()) {
                flow(of(flow));
            }
        }
    }

    private List<Caller> of(CallPlan plan) {
        return callers.stream().filter(caller -> caller.plan() == plan).toList();
    }

    private static boolean isTimeless(@Nullable BodyStep inside) {
        return inside == null
                || TIMELESS.contains(inside.body().fault())
                        && isTimeless(inside.body().inside());
    }

    /** {@return whether something else than a fault of its own can fail a composite} */
    static boolean isDisturbed(Scenario scenario, SimulatedComposite plan) {
        return plan.isFaulty() || isDisturbed(scenario, plan.team(), plan.inside());
    }

    private static boolean isDisturbed(Scenario scenario, SimulatedGroup team, @Nullable BodyStep inside) {
        return scenario.trouble().concerns(team)
                || team.parting() != SimulatedGroup.Parting.STAY
                || scenario.mayNotForm(team)
                || inside != null
                        && isDisturbed(
                                scenario, inside.body().team(), inside.body().inside());
    }

    private static void together(CallPlan.Together plan, List<Caller> ranks) {
        boolean haveAll = ranks.size() == plan.team().size() && ranks.stream().allMatch(Caller::hasBegun);
        for (Caller caller : ranks) {
            boolean needsAll = Expected.needs(plan, caller.part().groupRank()).size()
                    == plan.team().size();
            if (haveAll && caller.work() == null) {
                throw new Violation("a call that all have begun has not run to its end: " + caller + ", failure="
                        + caller.failure());
            }
            if (!haveAll && needsAll && caller.work() != null) {
                throw new Violation("a call succeeded that another rank has not begun: " + caller);
            }
        }
    }

    private static void flow(List<Caller> ends) {
        for (Caller sender : ends) {
            for (Caller receiver : ends) {
                boolean isPair = sender.part().role() == RankCall.Role.SENDER
                        && receiver.part().role() == RankCall.Role.RECEIVER
                        && receiver.part().peer() == sender.part().groupRank()
                        && sender.sequence() == receiver.sequence();
                if (isPair && (sender.work() != null) != (receiver.work() != null)) {
                    throw new Violation("one end of a message succeeded, and the other did not: " + sender + ", "
                            + receiver + ", failures=" + sender.failure() + ", " + receiver.failure());
                }
            }
        }
    }
}
