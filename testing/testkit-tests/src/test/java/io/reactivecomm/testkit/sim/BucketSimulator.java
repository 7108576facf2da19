package io.reactivecomm.testkit.sim;

import io.reactivecomm.testkit.sim.Simulator.Outcome;
import java.util.List;
import java.util.Optional;

/**
 * Runs schedules in which ranks train through buckets beside the calls, flaws and faults of a usual {@link Scenario}, one for each seed.
 *
 * <p>What is real: all of the {@link Simulator}'s, and of buckets the plan, who asks for it, the step, its buckets in flight, flat buffers, borrowed gradients,
 * demand and turns.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class BucketSimulator {

    private final ScribbledMemory memory = new ScribbledMemory();

    /** All that a seed decides before a schedule begins. */
    private record Drawn(Scenario scenario, TrainingScenario training, SeededRandom rest) {

        static Drawn of(long seed) {
            SeededRandom dice = new SeededRandom(~seed);
            Scenario scenario = ScenarioDraw.of(seed, dice.split());
            SeededRandom own = dice.split();
            // Whoever leaves the world can make no more calls in other groups.
            boolean inWorld = scenario.trouble().kind() == WorldFault.Kind.LEAVE || own.percent(50);
            Optional<SimulatedGroup> team = scenario.teams().stream()
                    .filter(each -> each.parent() == null && !(inWorld && each.id() != 0))
                    .reduce((a, b) -> b);
            return new Drawn(scenario, TrainingScenario.of(team.orElseThrow(), scenario.weather(), own), dice);
        }

        String describe() {
            return training.describe() + scenario.describe();
        }
    }

    /** {@return the outcome of a seed} */
    public Outcome run(long seed) {
        return run(seed, false);
    }

    private Outcome run(long seed, boolean traced) {
        Drawn drawn = Drawn.of(seed);
        EventQueue agenda = new EventQueue(drawn.rest().split(), traced);
        memory.clear();
        String violation = null;
        try {
            VirtualNetwork network = new VirtualNetwork(agenda, drawn.rest(), drawn.scenario(), memory);
            TrainingJudge training = new TrainingJudge(drawn.training(), drawn.scenario(), network);
            new VirtualWorld(drawn.scenario(), network).run(List.of(training));
        } catch (Violation e) {
            violation = e.getMessage();
        } catch (RuntimeException | AssertionError e) {
            violation = "something threw " + e + " at "
                    + List.of(e.getStackTrace()).subList(0, Math.min(12, e.getStackTrace().length));
        }
        return new Outcome(seed, agenda.hash(), agenda.happened(), violation, agenda.lines());
    }

    /** {@return a seed's last events, its scenario, what was wrong and how to see it again, for a reader} */
    public String report(long seed) {
        Outcome outcome = run(seed, true);
        return "the last events:\n" + String.join("\n", outcome.trace()) + "\n\nthe scenario: "
                + Drawn.of(seed).describe()
                + "\nseed=" + seed + ", violation: " + outcome.violation()
                + "\nreplay with: ./mvnw -q -pl testing/testkit-tests -am test -Dtest=BucketSimulatorTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dbuckets.schedules=1 -Dbuckets.from=" + seed;
    }

    /**
     * Runs consecutive seeds until one fails.
     *
     * @return the first that fails, or {@link Simulator#NO_SEED}
     */
    public long firstFailure(long from, int count) {
        for (long seed = from; seed < from + count; seed++) {
            if (run(seed).violation() != null) {
                return seed;
            }
        }
        return Simulator.NO_SEED;
    }
}
