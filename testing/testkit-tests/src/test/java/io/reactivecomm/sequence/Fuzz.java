package io.reactivecomm.sequence;

import io.reactivecomm.simulator.EventQueue;
import io.reactivecomm.testkit.SeededRandom;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Worlds of sequencers, one for each seed, which run until nothing happens any more and are judged then. */
public abstract class Fuzz {

    /** What {@link #firstFailure} says when no seed failed. */
    public static final long NO_SEED = -1;

    private final Function<SeededRandom, FuzzPlan> plans;
    private final Consumer<FuzzWorld> judge;
    private int places;
    private int newPlaces;

    Fuzz(Function<SeededRandom, FuzzPlan> plans, Consumer<FuzzWorld> judge) {
        this.plans = plans;
        this.judge = judge;
    }

    /** {@return the first of consecutive seeds that fails, or {@link #NO_SEED}} */
    public final long firstFailure(long from, int count) {
        for (long seed = from; seed < from + count; seed++) {
            if (run(seed, new EventQueue(new SeededRandom(~seed), false)) != null) {
                return seed;
            }
        }
        return NO_SEED;
    }

    /** {@return a seed's last events, its plan, and what is wrong with it} */
    public final String report(long seed) {
        EventQueue agenda = new EventQueue(new SeededRandom(~seed), true);
        String violation = run(seed, agenda);
        return "seed=" + seed + "\n" + String.join("\n", agenda.lines()) + "\nplan: "
                + plans.apply(new SeededRandom(seed)) + "\nseed=" + seed + ", violation: " + violation;
    }

    /** {@return the share of announced places that were short references} */
    final double recurring() {
        return 1 - newPlaces / (double) places;
    }

    private @Nullable String run(long seed, EventQueue agenda) {
        SeededRandom dice = new SeededRandom(seed);
        FuzzWorld world = new FuzzWorld(plans.apply(dice), dice, agenda);
        try {
            world.run();
            judge.accept(world);
            places += world.places();
            newPlaces += world.newPlaces();
            return null;
        } catch (RuntimeException | AssertionError e) {
            return e + " at " + List.of(e.getStackTrace()).subList(0, Math.min(6, e.getStackTrace().length));
        }
    }
}
