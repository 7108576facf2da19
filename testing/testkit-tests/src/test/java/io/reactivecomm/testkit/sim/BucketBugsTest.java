package io.reactivecomm.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.bucket.WrongOrder;
import io.reactivecomm.testkit.Depth;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulator finds bugs in buckets: each of these, planted in their bytecode, within a bounded number of seeds. */
class BucketBugsTest {

    private static final int MOST_SEEDS = 1_000;

    private static final String BUCKET = "io.reactivecomm.bucket.";

    static List<Mutant> mutants() {
        return List.of(
                new Mutant(
                        "a bucket begins before it is whole",
                        BUCKET + "StepProgress",
                        "isWhole",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "buckets begin in the order of their completion",
                        BUCKET + "StepProgress",
                        "next",
                        Mutation.leftTo(WrongOrder.class, "whole")),
                new Mutant(
                        "missing gradients are awaited for ever",
                        BUCKET + "StepProgress",
                        "noMoreCome",
                        Mutation.nothing()),
                new Mutant(
                        "results overtake those before them", BUCKET + "StepProgress", "inTurn", Mutation.negated(1)),
                new Mutant(
                        "results that wait for others are lost with them",
                        BUCKET + "StepProgress",
                        "lambda$heldBack$0",
                        Mutation.nothing()),
                new Mutant(
                        "a buffer is taken before its bucket has ended",
                        BUCKET + "FlatBuffers$FlatBuffer",
                        "isFree",
                        Mutation.alwaysTrue()),
                new Mutant("a buffer is never let go", BUCKET + "FlatBuffers", "letGo", Mutation.nothing()),
                new Mutant(
                        "a missing gradient is not zeroed",
                        "io.reactivecomm.kernel.HostMoves",
                        "move",
                        Mutation.without("fill")),
                new Mutant("results stay in the buffer", BUCKET + "InFlightBucket", "unload", Mutation.nothing()),
                new Mutant(
                        "a bucket's memory stays borrowed",
                        BUCKET + "InFlightBucket",
                        "letGo",
                        Mutation.without("giveBack")),
                new Mutant(
                        "buckets begin after the end of their step",
                        BUCKET + "InFlightBuckets",
                        "end",
                        Mutation.nothing()),
                new Mutant(
                        "a step is over before its buckets have landed",
                        BUCKET + "InFlightBuckets",
                        "areOver",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "gradients are not given back", BUCKET + "BorrowedGradients", "giveBack", Mutation.nothing()),
                new Mutant("two steps fly at once", BUCKET + "StepQueue", "waits", Mutation.nothing()),
                new Mutant("a step that waits never has its turn", BUCKET + "StepQueue", "over", Mutation.nothing()),
                new Mutant(
                        "a rank takes for all what it has agreed to",
                        BUCKET + "CommonPlan",
                        "isCommon",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "a rank that is told that all have the plan loses its own",
                        BUCKET + "CommonPlan",
                        "ofAll",
                        Mutation.nothing()),
                new Mutant("gradients are asked for once only", BUCKET + "Demand", "arrived", Mutation.without("ask")),
                new Mutant(
                        "gradients overlap in their bucket",
                        BUCKET + "BucketPlan",
                        "bucket",
                        Mutation.without("count")),
                new Mutant(
                        "a bucket has no limit",
                        BUCKET + "BucketPlan$OpenBucket",
                        "wouldOverflow",
                        Mutation.nothing()));
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
    void simulator_plantedBug_findsIt(Mutant mutant) throws ReflectiveOperationException {
        Find find = Find.first(BucketSimulator.class, mutant, MOST_SEEDS);
        System.out.printf("planted: %s: seed %d: %s%n", mutant.bug(), find.seed(), find.violation());
        assertThat(find.seed()).as(mutant.bug()).isBetween(1L, (long) MOST_SEEDS);
    }

    @Test
    @Tag("thorough")
    void simulator_noBug_findsNothing() throws ReflectiveOperationException {
        assertThat(Find.first(BucketSimulator.class, null, MOST_SEEDS)).isEqualTo(new Find(Simulator.NO_SEED, null));
    }
}
