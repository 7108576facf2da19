package io.reactivecomm.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.Depth;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The sequencers' fuzz finds bugs: each of these, planted in their bytecode, within a bounded number of seeds. */
class SequencerBugsTest {

    private static final int MOST_SEEDS = 5_000;

    private static final String SEQUENCE = "io.reactivecomm.sequence.";

    static List<Mutant> mutants() {
        return List.of(
                new Mutant(
                        "a call is announced before all are ready",
                        SEQUENCE + "PendingCall",
                        "isComplete",
                        Mutation.alwaysTrue()),
                new Mutant("a disagreement goes unseen", SEQUENCE + "PendingCall", "differs", Mutation.nothing()),
                new Mutant(
                        "a disagreement is settled only if all have spoken",
                        SEQUENCE + "Leader",
                        "time",
                        Mutation.nothing()),
                new Mutant(
                        "a refused call is not remembered", SEQUENCE + "LeaderCalls", "fail", Mutation.without("put")),
                new Mutant(
                        "a failure that all have spoken of is kept",
                        SEQUENCE + "LeaderCalls",
                        "lastWord",
                        Mutation.without("remove")),
                new Mutant(
                        "a failure is forgotten before all have spoken of it",
                        SEQUENCE + "FailedCall",
                        "lastWord",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "a member is told of a failure and does not answer",
                        SEQUENCE + "Member",
                        "failed",
                        Mutation.without("send")),
                new Mutant(
                        "a failed call is announced all the same",
                        SEQUENCE + "LeaderCalls",
                        "fail",
                        Mutation.without("remove")),
                new Mutant(
                        "who gives up an announced call is not heard",
                        SEQUENCE + "LeaderArrivals",
                        "withdrawn",
                        Mutation.nothing()),
                new Mutant(
                        "the end of a group is not told",
                        SEQUENCE + "LeaderGroups",
                        "end",
                        Mutation.without("forEach")),
                new Mutant(
                        "a group that has ended is not remembered",
                        SEQUENCE + "LeaderGroups",
                        "end",
                        Mutation.without("put")),
                new Mutant(
                        "what was ready goes on after its group's end",
                        SEQUENCE + "Announcements",
                        "remove",
                        Mutation.nothing()),
                new Mutant("that a rank is gone is ignored", SEQUENCE + "Leader", "gone", Mutation.nothing()),
                new Mutant(
                        "a name that was evicted is referred to",
                        SEQUENCE + "RecentNames",
                        "add",
                        Mutation.without("remove")),
                new Mutant(
                        "members evict another name than the leader",
                        SEQUENCE + "RecentNames",
                        "read",
                        Mutation.without("add")),
                new Mutant(
                        "a call that is told to fail goes on waiting",
                        SEQUENCE + "Member",
                        "failed",
                        Mutation.nothing()),
                new Mutant("deadlines never strike", SEQUENCE + "Member", "expire", Mutation.nothing()),
                new Mutant("the loss of the leader is ignored", SEQUENCE + "Member", "leaderGone", Mutation.nothing()),
                new Mutant(
                        "an engine's failure stays where it is",
                        SEQUENCE + "Member",
                        "ended",
                        Mutation.without("failed")),
                new Mutant(
                        "calls of a group that has ended go on waiting",
                        SEQUENCE + "MemberGroups",
                        "fail",
                        Mutation.nothing()),
                new Mutant(
                        "what runs in a group is not stopped",
                        SEQUENCE + "MemberGroups",
                        "abandon",
                        Mutation.nothing()),
                new Mutant(
                        "a member that closes a group does not say so",
                        SEQUENCE + "MemberGroups",
                        "close",
                        Mutation.without("send")),
                new Mutant(
                        "a run that fails leaves its calls waiting",
                        SEQUENCE + "LeaderComposites",
                        "failParts",
                        Mutation.nothing()),
                new Mutant(
                        "a failed run is not told of",
                        SEQUENCE + "MemberAnswers",
                        "compositeFailed",
                        Mutation.without("send")),
                new Mutant(
                        "who is missing in a composite is not asked",
                        SEQUENCE + "LeaderQuestions",
                        "askSilent",
                        Mutation.nothing()),
                new Mutant(
                        "a body that is over is not told of",
                        SEQUENCE + "MemberAnswers",
                        "wanted",
                        Mutation.without("send")),
                new Mutant(
                        "who asked before a body was over is forgotten",
                        SEQUENCE + "MemberRuns",
                        "wanted",
                        Mutation.nothing()),
                new Mutant(
                        "a call of a run that failed is announced all the same",
                        SEQUENCE + "LeaderCalls",
                        "failPart",
                        Mutation.without("forget")),
                new Mutant(
                        "calls of all runs are one", "io.reactivecomm.spi.Enclosure", "equals", Mutation.alwaysTrue()),
                new Mutant(
                        "a group's calls do not wait for its opening",
                        SEQUENCE + "LeaderOpening",
                        "isOpen",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "a group is split from one that a member has left",
                        SEQUENCE + "LeaderOpening",
                        "departure",
                        Mutation.nothing()),
                new Mutant(
                        "who helps to open a group leaves, and the others wait",
                        SEQUENCE + "LeaderOpenings",
                        "beginAlone",
                        Mutation.nothing()),
                new Mutant(
                        "a group is split from one that a rank has left",
                        SEQUENCE + "LeaderOpenings",
                        "gone",
                        Mutation.without("add")),
                new Mutant(
                        "a group that fails is waited for by what is split from it",
                        SEQUENCE + "LeaderOpening",
                        "isSplitFrom",
                        Mutation.nothing()),
                new Mutant(
                        "an opening that fails stays where it is",
                        SEQUENCE + "MemberGroups",
                        "opened",
                        Mutation.nothing()),
                new Mutant(
                        "a failed group's helpers are not told",
                        SEQUENCE + "LeaderOpenings",
                        "abandon",
                        Mutation.without("forEach")),
                new Mutant(
                        "a group is freed before all have closed it",
                        SEQUENCE + "LeaderOpening",
                        "isClosed",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "a group that all have closed is never freed",
                        SEQUENCE + "LeaderOpenings",
                        "freeIfClosed",
                        Mutation.nothing()),
                new Mutant(
                        "a closed group's failure does not reach the engine",
                        SEQUENCE + "MemberOpenings",
                        "abandon",
                        Mutation.nothing()),
                new Mutant(
                        "a group without calls fails, and the engine does not hear",
                        SEQUENCE + "MemberGroups",
                        "endUnknown",
                        Mutation.without("abandon")),
                new Mutant(
                        "a group is opened that this rank has abandoned",
                        SEQUENCE + "MemberGroup",
                        "isAbandoned",
                        Mutation.nothing()),
                new Mutant(
                        "a closed group's running calls are forgotten",
                        SEQUENCE + "MemberGroup",
                        "hasRunning",
                        Mutation.nothing()),
                new Mutant(
                        "a group closed after its calls is taken for one that runs",
                        SEQUENCE + "MemberGroup",
                        "hasRunning",
                        Mutation.alwaysTrue()));
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
        long seed = FuzzSearch.firstFailure(SEQUENCE + "SequencerFuzz", mutant, MOST_SEEDS);
        System.out.printf("planted: %s: seed %d%n", mutant.bug(), seed);
        assertThat(seed).as(mutant.bug()).isBetween(1L, (long) MOST_SEEDS);
    }

    @Test
    @Tag("thorough")
    void fuzz_noBug_findsNothing() throws ReflectiveOperationException {
        assertThat(FuzzSearch.firstFailure(SEQUENCE + "SequencerFuzz", null, MOST_SEEDS))
                .isNegative();
    }
}
