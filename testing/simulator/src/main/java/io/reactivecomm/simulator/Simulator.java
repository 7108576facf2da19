package io.reactivecomm.simulator;

import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs schedules, one for each seed, in the calling thread.
 *
 * <p>A seed decides a {@link Scenario} (ranks, bounds, calls, flaws, faults) and then every choice of the virtual network. The engines, the
 * schedules of collectives, the kernels and the frames are the real ones; clock, links, loops and callers are virtual.
 *
 * <p><b>Threads.</b> One at a time; any number of simulators may run beside each other.
 */
public final class Simulator {

    /** What {@link #firstFailure} says when no seed failed. */
    public static final long NO_SEED = -1;

    /** How many schedules have a program of steps, too. */
    private static final int STEPPING_PERCENT = 10;

    /** How many have windows that change. */
    private static final int WINDOWS_PERCENT = 50;

    private final ScribbledMemory memory = new ScribbledMemory();

    /**
     * The outcome of a schedule.
     *
     * @param hash the same for the same events, and for hardly any others
     * @param events how many events there were
     * @param violation what was wrong, or null
     * @param trace the last events, if they were asked for
     */
    public record Outcome(
            long seed, long hash, int events, @Nullable String violation, List<String> trace) {}

    /** {@return the outcome of a seed} */
    public Outcome run(long seed) {
        return run(seed, false, clock -> List.of());
    }

    /** {@return the outcome of a seed whose calls are observed} @param observers makes who hears of them, of the virtual clock */
    Outcome observed(long seed, Function<LongSupplier, List<CommObserver>> observers) {
        return run(seed, false, observers);
    }

    /** {@return whether a seed's turns all come with their event: then what is told of a call is told when it happens} */
    static boolean isPunctual(long seed) {
        return ScenarioDraw.withComposites(seed, new SeededRandom(seed).split())
                        .weather()
                        .lazyPercent()
                == 0;
    }

    private Outcome run(long seed, boolean traced, Function<LongSupplier, List<CommObserver>> observers) {
        SeededRandom dice = new SeededRandom(seed);
        Scenario scenario = ScenarioDraw.withComposites(seed, dice.split());
        EventQueue agenda = new EventQueue(dice.split(), traced);
        memory.clear();
        String violation = null;
        try {
            Observers onlookers = Observers.ofWorld(observers.apply(agenda::now));
            VirtualNetwork network =
                    new VirtualNetwork(agenda, dice, scenario.weather(), scenario.hosts(), memory, onlookers);
            new VirtualWorld(scenario, network).run(programs(seed, scenario, network));
        } catch (Violation e) {
            violation = e.getMessage();
        } catch (RuntimeException | AssertionError e) {
            violation = "the engine threw " + e + " at "
                    + List.of(e.getStackTrace()).subList(0, Math.min(12, e.getStackTrace().length));
        }
        return new Outcome(seed, agenda.hash(), agenda.happened(), violation, agenda.lines());
    }

    /** {@return what a seed has beside its scenario's calls: a program of steps, and windows that follow the way} */
    private static List<VirtualWorld.Program> programs(long seed, Scenario scenario, VirtualNetwork network) {
        List<VirtualWorld.Program> programs = new ArrayList<>();
        SeededRandom dice = new SeededRandom(~seed);
        if (dice.percent(STEPPING_PERCENT)) {
            long span = scenario.weather().mostNanos() * dice.oneOf(1, 5, 40);
            programs.add(new StepProgram(scenario, network, StepPlan.draw(dice, scenario.worldSize(), span)));
        }
        SeededRandom ways = new SeededRandom(Long.reverse(seed));
        if (ways.percent(WINDOWS_PERCENT)) {
            programs.add(new WindowDraw(scenario, network, ways));
        }
        return programs;
    }

    /** {@return a seed's scenario, its last events, what was wrong and how to see it again, for a reader} */
    public String report(long seed) {
        Outcome outcome = run(seed, true, clock -> List.of());
        return "schedule " + (outcome.violation() == null ? "passed" : "failed") + ": seed=" + seed + ", violation="
                + outcome.violation()
                + "\n\nthe last events:\n" + String.join("\n", outcome.trace())
                + "\n\nthe scenario: "
                + ScenarioDraw.withComposites(seed, new SeededRandom(seed).split())
                        .describe()
                + "\nviolation: " + outcome.violation()
                + "\nreplay with: ./mvnw -q -pl testing/testkit-tests -am test -Dtest=ReplayTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dsim.seed=" + seed;
    }

    /**
     * Runs consecutive seeds until one fails.
     *
     * @return the first that fails, or {@link #NO_SEED}
     */
    public long firstFailure(long from, int count) {
        for (long seed = from; seed < from + count; seed++) {
            if (run(seed).violation() != null) {
                return seed;
            }
        }
        return NO_SEED;
    }
}
