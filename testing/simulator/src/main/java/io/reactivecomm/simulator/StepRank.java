package io.reactivecomm.simulator;

import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.group.GroupStep;
import io.reactivecomm.internal.group.GroupSteps;
import io.reactivecomm.internal.schedule.choice.Selection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One rank's program of steps: its thread, and the queue of what that asks of the rank's loop. */
final class StepRank {

    /** The most by which a loop comes after a thread, in nanoseconds. */
    private static final int LATEST = 20_000;

    private final StepPlan plan;
    private final VirtualRank rank;
    private final VirtualNetwork network;
    private final Selection selection;
    private final GroupState group;
    private final GroupSteps steps;
    private final List<StepCaller> callers = new ArrayList<>();
    private final Map<StepPlan.Made, Integer> sent = new HashMap<>();
    private long lastAsked;

    StepRank(StepPlan plan, VirtualRank rank, VirtualNetwork network, Selection selection) {
        this.plan = plan;
        this.rank = rank;
        this.network = network;
        this.selection = selection;
        this.group = rank.membership(GroupState.WORLD).group();
        this.steps = new GroupSteps(
                group,
                () -> ask(() -> rank.engine()
                        .stepped(
                                rank.membership(GroupState.WORLD).group(),
                                network.agenda().now())));
        group.assembledBy(steps);
    }

    VirtualRank rank() {
        return rank;
    }

    VirtualNetwork network() {
        return network;
    }

    Selection selection() {
        return selection;
    }

    GroupState group() {
        return group;
    }

    List<StepCaller> callers() {
        return callers;
    }

    /** Puts something into the queue of the rank's loop, which takes all in its order, some time later. */
    void ask(Runnable task) {
        lastAsked =
                Math.max(lastAsked + 1, network.agenda().now() + network.dice().below(LATEST));
        network.agenda().at(lastAsked, () -> rank.event(task));
    }

    void begin() {
        beginAfter(0);
    }

    private void beginAfter(int index) {
        if (index == plan.numbers().size()) {
            network.agenda().at(network.agenda().now(), this::finish);
        } else {
            network.agenda()
                    .at(network.agenda().now() + plan.paces().get(rank.rank()).get(index), () -> {
                        begin(index);
                        beginAfter(index + 1);
                    });
        }
    }

    private void begin(int index) {
        if (rank.hasCrashed()) {
            return;
        }
        network.agenda().tell(rank.rank(), () -> "begins step " + plan.numbers().get(index));
        GroupStep step = steps.step(plan.numbers().get(index));
        for (StepPlan.Made made : plan.calls()) {
            for (StepPlan.Part part : made.parts()) {
                if (made.step() == index && part.rank() == rank.rank() && part.lag() != StepPlan.LEFT_OUT) {
                    callers.add(new StepCaller(made, part, this, step));
                }
            }
        }
        subscribe(index, false);
    }

    private void subscribe(int index, boolean isLast) {
        for (StepCaller caller : callers) {
            int lag = caller.part().lag();
            int at = caller.made().step() + lag;
            if (lag >= 0 && (isLast ? at >= index : at == index)) {
                int turn = caller.part().kind() == StepPlan.Kind.SEND ? sent.merge(caller.made(), 1, Integer::sum) : 0;
                caller.subscribe(100L * caller.made().tag() + turn);
            }
        }
    }

    /** What is late still is subscribed to; then all steps are over. */
    private void finish() {
        if (rank.hasCrashed()) {
            return;
        }
        subscribe(plan.numbers().size(), true);
        long last = plan.numbers().getLast();
        for (int i = 1; i <= plan.lastSteps(); i++) {
            steps.step(last + i);
        }
    }
}
