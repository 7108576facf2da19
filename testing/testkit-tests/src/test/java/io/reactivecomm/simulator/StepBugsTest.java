package io.reactivecomm.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.internal.train.BucketProgress;
import io.reactivecomm.internal.train.StepMachine;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulator of steps finds bugs: each of these, planted in a transition of a machine, within a bounded number of seeds. */
class StepBugsTest {

    private static final int MOST_SEEDS = 10_000;

    private static final String STEP = StepMachine.class.getName();

    private static final String BUCKETS = BucketProgress.class.getName();

    static Stream<Mutant> mutants() {
        return Stream.concat(inSteps().stream(), inBuckets().stream());
    }

    private static List<Mutant> inBuckets() {
        return List.of(
                new Mutant("a bucket begins before it is whole", BUCKETS, "next", Mutation.negated(2)),
                new Mutant("a bucket waits for what will not come", BUCKETS, "next", Mutation.negated(1)),
                new Mutant("results go though no rank had their gradients", BUCKETS, "finished", Mutation.negated(1)),
                new Mutant("gradients that come are forgotten", BUCKETS, "settle", Mutation.alwaysTrue()));
    }

    private static List<Mutant> inSteps() {
        return List.of(
                new Mutant("a step that failed as it was opened never ends", STEP, "opened", Mutation.without("stop")),
                new Mutant(
                        "a gradient that brought no result is not made up for",
                        STEP,
                        "arrived",
                        Mutation.without("ask")),
                new Mutant("an early absence is not passed on", STEP, "notice", Mutation.nothing()),
                new Mutant("a notice goes beyond the first hook with a group", STEP, "notice", Mutation.negated(2)),
                new Mutant("results that wait for demand stay", STEP, "requested", Mutation.without("handOut")),
                new Mutant("gradients of other ranks are lost", STEP, "emitted", Mutation.nothing()),
                new Mutant("the end of the pass is not noticed", STEP, "sourceEnded", Mutation.without("endPass")),
                new Mutant(
                        "a hook that has completed does not say so", STEP, "left", Mutation.without("noFurtherCalls")),
                new Mutant("a pass ends while gradients are in the hook before", STEP, "left", Mutation.negated(3)),
                new Mutant("composite calls are not completed", STEP, "endPass", Mutation.without("complete")),
                new Mutant("a failure here stays here", STEP, "fail", Mutation.without("stopUnlessWaiting")),
                new Mutant(
                        "hooks are called in a step that has failed elsewhere",
                        STEP,
                        "compositeStopped",
                        Mutation.nothing()),
                new Mutant("a failure in one group stays in it", STEP, "compositeEnded", Mutation.without("fail")),
                new Mutant("a step that is cancelled is not left", STEP, "stop", Mutation.without("leave")),
                new Mutant("a cancelled step waits for demand", STEP, "cancel", Mutation.without("clear")),
                new Mutant(
                        "the end does not wait for memory in use",
                        STEP,
                        Map.of("held", Mutation.nothing(), "released", Mutation.nothing())),
                new Mutant("an error of taking back is lost", STEP, "takenBack", Mutation.negated(1)),
                new Mutant("views do not end", STEP, "settle", Mutation.without("endViews")),
                new Mutant(
                        "results that hooks owe are not cancelled",
                        STEP,
                        "cancelOwed",
                        Mutation.without("cancelHooks")));
    }

    /** All are searched for: the simulator is fast. */
    @ParameterizedTest
    @MethodSource("mutants")
    void simulator_plantedBug_findsIt(Mutant mutant) throws ReflectiveOperationException {
        Find find = Find.first(StepMachineSimulator.class, mutant, MOST_SEEDS);
        System.out.printf("planted: %s: seed %d: %s%n", mutant.bug(), find.seed(), find.violation());
        assertThat(find.seed()).as(mutant.bug()).isBetween(1L, (long) MOST_SEEDS);
    }

    @Test
    @Tag("thorough")
    void simulator_noBug_findsNothing() throws ReflectiveOperationException {
        assertThat(Find.first(StepMachineSimulator.class, null, MOST_SEEDS))
                .isEqualTo(new Find(Simulator.NO_SEED, null));
    }
}
