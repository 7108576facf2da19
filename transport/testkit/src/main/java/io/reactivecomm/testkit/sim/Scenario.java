package io.reactivecomm.testkit.sim;

import io.reactivecomm.engine.EngineLimits;
import io.reactivecomm.schedule.Selection;
import java.util.List;

/** All that a seed decides before a schedule begins; the order of events is decided while it runs. */
record Scenario(
        long seed,
        int worldSize,
        EngineLimits limits,
        Selection selection,
        Weather weather,
        List<Team> teams,
        List<Plan> plans,
        Trouble trouble) {

    /** {@return whether a group may not come about on some of its ranks, though it does on others} */
    boolean mayNotForm(Team team) {
        Team parent = team.parent();
        if (parent == null) {
            return false;
        }
        boolean isFlawed = plans.stream()
                .anyMatch(plan -> plan instanceof Plan.Together together && together.forms() == team && together.flaw() != Plan.Flaw.NONE);
        return isFlawed || trouble.concerns(parent) || parent.parting() == Team.Parting.EARLY || mayNotForm(parent);
    }

    /** {@return the scenario in lines for a reader} */
    String describe() {
        StringBuilder text = new StringBuilder();
        text.append("worldSize=").append(worldSize).append(", groups=").append(teams).append('\n');
        text.append(limits).append('\n').append(selection).append('\n').append(weather).append('\n');
        if (trouble.kind() != Trouble.Kind.NONE) {
            text.append(trouble).append('\n');
        }
        for (Plan plan : plans) {
            text.append("call ").append(plan.index()).append(": ");
            text.append(switch (plan) {
                case Plan.Together together -> together.key().label() + " in group " + plan.team().id();
                case Plan.Flow flow -> "messages " + flow.name() + "/" + flow.tag() + " to " + flow.destination() + " in group " + plan.team().id();
            });
            text.append(' ').append(plan.shape()).append(plan.flaw() == Plan.Flaw.NONE ? "" : " " + plan.flaw() + " at " + plan.odd());
            for (Part part : plan.parts()) {
                text.append("\n    ").append(part);
            }
            text.append('\n');
        }
        return text.toString();
    }
}
