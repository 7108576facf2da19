package io.reactivecomm.simulator;

import io.reactivecomm.internal.train.BucketProgress;
import io.reactivecomm.internal.train.StepMachine;
import io.reactivecomm.simulator.GradientScenario.TroubleKind;
import io.reactivecomm.simulator.Simulator.Outcome;
import io.reactivecomm.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs schedules of training steps, one for each seed: ranks that produce some gradients and lack others, hooks that reduce them over groups, and a program on each rank
 * that takes results at its own pace; in half of them something fails.
 *
 * <p>{@link StepMachine} and {@link BucketProgress} are the library's. Composite calls and hooks are models ({@link GradientComposite}, {@link SimulatedHook}).
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class StepMachineSimulator {

    /** More events than any schedule has: about a hundred for each rank and step. */
    private static final int MOST_EVENTS = 20_000;

    /** {@return the outcome of a seed} */
    public Outcome run(long seed) {
        return run(seed, false);
    }

    private static Outcome run(long seed, boolean traced) {
        SeededRandom dice = new SeededRandom(seed);
        GradientScenario scenario = GradientScenario.of(dice.split());
        EventQueue agenda = new EventQueue(dice.split(), traced);
        String violation = null;
        try {
            new Schedule(scenario, new GradientNetwork(agenda, dice, scenario)).run();
        } catch (Violation e) {
            violation = e.getMessage();
        } catch (RuntimeException | AssertionError e) {
            violation = "something threw " + e + " at "
                    + List.of(e.getStackTrace()).subList(0, Math.min(12, e.getStackTrace().length));
        }
        return new Outcome(seed, agenda.hash(), agenda.happened(), violation, agenda.lines());
    }

    /** The steps of all ranks. */
    private static final class Schedule {

        private final GradientScenario scenario;
        private final GradientNetwork network;
        private final List<GradientOracle> oracles = new ArrayList<>();
        private final List<List<GradientRun>> runs = new ArrayList<>();

        private Schedule(GradientScenario scenario, GradientNetwork network) {
            this.scenario = scenario;
            this.network = network;
            for (int step = 0; step < scenario.steps().size(); step++) {
                oracles.add(new GradientOracle(scenario, step));
            }
        }

        private void run() {
            for (int rank = 0; rank < scenario.ranks(); rank++) {
                runs.add(new ArrayList<>());
                begin(rank);
            }
            if (scenario.trouble().kind() == TroubleKind.LOST) {
                int lost = scenario.trouble().rank();
                network.after(lost, scenario.trouble().after(), () -> network.lose(lost));
            }
            while (network.agenda().next()) {
                if (network.agenda().happened() > MOST_EVENTS) {
                    throw new Violation("the schedule does not end");
                }
            }
            for (int rank = 0; rank < scenario.ranks(); rank++) {
                if (!network.isLost(rank) && !isDone(rank)) {
                    throw new Violation("a step never ends: " + runs.get(rank).getLast());
                }
            }
        }

        private void begin(int rank) {
            int step = runs.get(rank).size();
            GradientRun run = new GradientRun(scenario, network, oracles.get(step), step, rank, () -> {
                if (runs.get(rank).size() < scenario.steps().size()) {
                    network.later(rank, () -> begin(rank));
                }
            });
            runs.get(rank).add(run);
            run.start();
        }

        private boolean isDone(int rank) {
            List<GradientRun> own = runs.get(rank);
            return own.size() == scenario.steps().size() && own.getLast().isOver();
        }
    }

    /** {@return a seed's last events, its scenario, what was wrong and how to see it again, for a reader} */
    public String report(long seed) {
        Outcome outcome = run(seed, true);
        return "the last events:\n" + String.join("\n", outcome.trace()) + "\n\nthe scenario: "
                + GradientScenario.of(new SeededRandom(seed).split())
                + "\nseed=" + seed + ", violation: " + outcome.violation()
                + "\nreplay with: ./mvnw -q -pl testing/testkit-tests -am test -Dtest=StepMachineSimulatorTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dsteps.schedules=1 -Dsteps.from=" + seed;
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
