package io.reactivecomm.simulator;

import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.transfer.EngineLimits;
import java.util.List;

/**
 * All that a seed decides before a schedule begins; the order of events is decided while it runs.
 *
 * @param hosts the number of each rank's host, by rank in the world
 */
record Scenario(
        long seed,
        int worldSize,
        List<Integer> hosts,
        EngineLimits limits,
        Selection selection,
        NetworkConditions weather,
        List<SimulatedGroup> teams,
        List<CallPlan> plans,
        List<SimulatedComposite> composites,
        WorldFault trouble) {

    /** {@return the hosts of a group's ranks} */
    Layout layout(SimulatedGroup team) {
        return Layout.of(hosts, team.worldRanks());
    }

    /** {@return whether a group may not come about on some of its ranks, though it does on others} */
    boolean mayNotForm(SimulatedGroup team) {
        SimulatedGroup parent = team.parent();
        if (parent == null) {
            return false;
        }
        boolean isFlawed = plans.stream()
                .anyMatch(plan -> plan instanceof CallPlan.Together together
                        && together.forms() == team
                        && together.flaw() != CallPlan.Flaw.NONE);
        return isFlawed
                || trouble.concerns(parent)
                || parent.parting() == SimulatedGroup.Parting.EARLY
                || mayNotForm(parent);
    }

    /** {@return the scenario in lines for a reader} */
    String describe() {
        StringBuilder text = new StringBuilder();
        text.append("worldSize=")
                .append(worldSize)
                .append(", hosts=")
                .append(hosts)
                .append(", groups=")
                .append(teams)
                .append('\n');
        text.append(limits)
                .append('\n')
                .append(selection)
                .append('\n')
                .append(weather)
                .append('\n');
        if (trouble.kind() != WorldFault.Kind.NONE) {
            text.append(trouble).append('\n');
        }
        for (SimulatedComposite composite : composites) {
            text.append(composite);
            composite.parts().forEach(part -> text.append("\n    ").append(part));
            text.append('\n');
        }
        for (CallPlan plan : plans) {
            BodyStep inside = plan.inside();
            text.append(
                    inside == null
                            ? ""
                            : "step " + inside.step() + " of composite "
                                    + inside.body().index() + ": ");
            text.append("call ").append(plan.index()).append(": ");
            text.append(
                    switch (plan) {
                        case CallPlan.Together together ->
                            together.key().label() + " in group " + plan.team().id();
                        case CallPlan.Flow flow ->
                            "messages " + flow.name() + "/" + flow.tag() + " to " + flow.destination() + " in group "
                                    + plan.team().id();
                    });
            text.append(' ')
                    .append(plan.shape())
                    .append(plan.flaw() == CallPlan.Flaw.NONE ? "" : " " + plan.flaw() + " at " + plan.odd());
            for (RankCall part : plan.parts()) {
                text.append("\n    ").append(part);
            }
            text.append('\n');
        }
        return text.toString();
    }
}
