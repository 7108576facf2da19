package io.reactivecomm.simulator;

import io.reactivecomm.testkit.SeededRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The ranks' loops and composite calls of a schedule of {@link StepMachineSimulator}. News for one rank keep their order; all else takes any time. */
final class GradientNetwork {

    private record Key(int step, int hook, List<Integer> members) {}

    private final EventQueue agenda;
    private final SeededRandom dice;
    private final GradientScenario scenario;
    private final Map<Key, GradientComposite> composites = new HashMap<>();
    private final long[] latestNews;
    private final boolean[] isLost;

    GradientNetwork(EventQueue agenda, SeededRandom dice, GradientScenario scenario) {
        this.agenda = agenda;
        this.dice = dice;
        this.scenario = scenario;
        this.latestNews = new long[scenario.ranks()];
        this.isLost = new boolean[scenario.ranks()];
    }

    EventQueue agenda() {
        return agenda;
    }

    /** Has a rank do something after any time. */
    void later(int rank, Runnable action) {
        after(rank, dice.between(0, scenario.spanNanos()), action);
    }

    void after(int rank, long nanos, Runnable action) {
        agenda.at(agenda.now() + nanos, () -> {
            if (!isLost[rank]) {
                action.run();
            }
        });
    }

    /** Has a rank's loop do something, behind all that it was given before. */
    void onLoop(int rank, Runnable news) {
        latestNews[rank] = Math.max(latestNews[rank] + 1, agenda.now() + dice.between(0, scenario.spanNanos()));
        after(rank, latestNews[rank] - agenda.now(), news);
    }

    /** {@return a rank's composite call of a hook in a step} */
    GradientComposite composite(int step, int hook, int rank) {
        List<Integer> members = scenario.members(scenario.hooks().get(hook), rank);
        return composites.computeIfAbsent(
                new Key(step, hook, members), key -> new GradientComposite(this, members, scenario.ranks()));
    }

    boolean isLost(int rank) {
        return isLost[rank];
    }

    /** A rank dies. */
    void lose(int rank) {
        isLost[rank] = true;
        composites.values().forEach(composite -> composite.lost(rank));
    }
}
