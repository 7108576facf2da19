package io.reactivecomm.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.hook.LocalChainFuzz;
import io.reactivecomm.testkit.Depth;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The fuzz of chains finds bugs: each of these, planted in the bytecode of hooks, within a bounded number of seeds. That it finds nothing where none is
 * planted the contract of hooks says, with deadlines that no machine is too slow for.
 */
class HookBugsTest {

    private static final int MOST_SEEDS = 1_000;

    private static final String HOOK = "io.reactivecomm.hook.";

    static List<Mutant> mutants() {
        return List.of(
                new Mutant(
                        "a hook that an operator does not subscribe to is left out",
                        HOOK + "ChainRun",
                        "lambda$end$0",
                        Mutation.nothing()),
                new Mutant(
                        "what takes part is not ended with its run",
                        HOOK + "ReducingPass",
                        "abandon",
                        Mutation.nothing()),
                new Mutant(
                        "a second subscription is a step of its own",
                        HOOK + "ReducingPass",
                        Map.of("comesAgain", Mutation.nothing(), "begins", Mutation.alwaysTrue())),
                new Mutant(
                        "an error stays in its composite call", HOOK + "ReducingPass", "failHere", Mutation.nothing()),
                new Mutant(
                        "an error behind does not come to the hooks in front",
                        HOOK + "ReducingPass",
                        "failHereAndBefore",
                        Mutation.nothing()),
                new Mutant("a step that is left is not told of", HOOK + "OpenComposite", "cancel", Mutation.nothing()),
                new Mutant(
                        "a hook's calls are abandoned in silence", HOOK + "HookStep", "abandoned", Mutation.nothing()),
                new Mutant(
                        "a hook that threw as it was subscribed to is left out",
                        HOOK + "HookOpenings",
                        "threw",
                        Mutation.nothing()),
                new Mutant(
                        "a hook that has returned is waited for",
                        HOOK + "HookOpenings",
                        "returned",
                        Mutation.nothing()),
                new Mutant("what dies behind is not told", HOOK + "GuardedSource$Guarded", "died", Mutation.nothing()));
    }

    /** Those that the suite does not search for are planted, so that none goes stale. */
    @Test
    void bugs_canAllBePlanted() {
        assertThat(mutants()).allSatisfy(MutantLoader::new);
    }

    static List<Mutant> searched() {
        return Depth.sample(mutants());
    }

    @ParameterizedTest
    @MethodSource("searched")
    void fuzz_plantedBug_findsIt(Mutant mutant) throws ReflectiveOperationException {
        long seed = FuzzSearch.firstFailure(LocalChainFuzz.class.getName(), mutant, MOST_SEEDS);
        System.out.printf("planted: %s: seed %d%n", mutant.bug(), seed);
        assertThat(seed).as(mutant.bug()).isBetween(1L, (long) MOST_SEEDS);
    }
}
