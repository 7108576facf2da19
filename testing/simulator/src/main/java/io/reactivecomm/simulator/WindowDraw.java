package io.reactivecomm.simulator;

import io.reactivecomm.testkit.SeededRandom;
import java.util.List;

/**
 * The windows that a gauge of ways would tell engines of, drawn: at any time, of any peer, more or less than before, and also what no way holds. What
 * was under way is judged by the greatest of them.
 */
final class WindowDraw implements VirtualWorld.Program {

    private static final int MOST = 12;

    private final Scenario scenario;
    private final VirtualNetwork network;
    private final SeededRandom dice;

    WindowDraw(Scenario scenario, VirtualNetwork network, SeededRandom dice) {
        this.scenario = scenario;
        this.network = network;
        this.dice = dice;
    }

    @Override
    public void begin(List<VirtualRank> ranks) {
        long span = scenario.weather().mostNanos() * dice.oneOf(1, 5, 40);
        for (int i = dice.below(MOST * ranks.size()); i >= 0; i--) {
            VirtualRank rank = dice.oneOf(ranks);
            VirtualLink link = dice.oneOf(rank.links());
            long bytes = bytes();
            network.agenda().at(dice.between(0, span), () -> link.window(bytes));
        }
    }

    private long bytes() {
        long usual = scenario.limits().windowBytes();
        return switch (dice.below(6)) {
            case 0 -> 0;
            case 1 -> usual;
            case 2 -> Long.MAX_VALUE;
            case 3 -> dice.between(usual, scenario.limits().grownWindowBytes(1));
            default -> dice.between(1, 8) * usual;
        };
    }

    /** The inspection of ranks knows what was drawn. */
    @Override
    public void inspect() {}
}
