package io.reactivecomm.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.Depth;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The fuzz of messages in the order finds bugs: each of these, planted in the sequencers' bytecode, within a bounded number of seeds. */
class MessageBugsTest {

    private static final int MOST_SEEDS = 2_500;

    private static final String SEQUENCE = "io.reactivecomm.sequence.";

    private static final String MESSAGES = SEQUENCE + "LeaderMessages";

    static List<Mutant> mutants() {
        return List.of(
                new Mutant("receives from any wait in no line", MESSAGES, "posted", Mutation.nothing()),
                new Mutant("no message is for a receive from any", MESSAGES, "taker", Mutation.nothing()),
                new Mutant(
                        "a receive from any finds no message that waits",
                        SEQUENCE + "LeaderGroup",
                        "waitingFor",
                        Mutation.nothing()),
                new Mutant(
                        "what receives from any take is not counted",
                        SEQUENCE + "TakenNumbers",
                        "take",
                        Mutation.nothing()),
                new Mutant(
                        "receives of a source do not skip what others took",
                        SEQUENCE + "TakenNumbers",
                        "number",
                        Mutation.nothing()),
                new Mutant(
                        "receives behind one from any keep their message", MESSAGES, "behind", Mutation.without("add")),
                new Mutant("a receive from any stays in line", MESSAGES, "vanish", Mutation.nothing()),
                new Mutant(
                        "what a receive from any has found is forgotten", MESSAGES, "takes", Mutation.without("put")),
                new Mutant(
                        "a receive that names a source is taken for one that waits",
                        SEQUENCE + "LeaderGroup",
                        "isAwaited",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "no receive is awaited by its number",
                        SEQUENCE + "LeaderGroup",
                        "isAwaited",
                        Mutation.nothing()),
                new Mutant(
                        "what a step has left out is not told",
                        SEQUENCE + "LeaderArrivals",
                        "leftOut",
                        Mutation.nothing()),
                new Mutant(
                        "who is missing in a step is not asked",
                        SEQUENCE + "LeaderQuestions",
                        "askSilent",
                        Mutation.nothing()),
                new Mutant(
                        "who asked before a step was over is forgotten",
                        SEQUENCE + "Member",
                        "stepped",
                        Mutation.nothing()),
                new Mutant("ends that differ go unseen", SEQUENCE + "PendingCall", "differs", Mutation.nothing()),
                new Mutant("one end is enough", SEQUENCE + "PendingCall", "isComplete", Mutation.alwaysTrue()),
                new Mutant(
                        "a refused end is not remembered", SEQUENCE + "LeaderCalls", "fail", Mutation.without("put")),
                new Mutant(
                        "an end that has failed is announced all the same",
                        SEQUENCE + "LeaderCalls",
                        "fail",
                        Mutation.without("remove")),
                new Mutant(
                        "the failure behind a receive from any is not moved",
                        SEQUENCE + "LeaderCalls",
                        "failedAs",
                        Mutation.without("put")),
                new Mutant(
                        "a receive from any does not hear which message it has",
                        SEQUENCE + "MemberCall",
                        "meets",
                        Mutation.nothing()),
                new Mutant(
                        "what a receive from any has found is kept for ever", MESSAGES, "forget", Mutation.nothing()),
                new Mutant(
                        "what a step leaves out is no last word",
                        SEQUENCE + "LeaderArrivals",
                        "leftOut",
                        Mutation.without("remove")),
                new Mutant(
                        "a run that fails leaves its messages waiting",
                        SEQUENCE + "LeaderComposites",
                        "failParts",
                        Mutation.nothing()),
                new Mutant(
                        "a failed run is not told of",
                        SEQUENCE + "MemberAnswers",
                        "compositeFailed",
                        Mutation.without("send")),
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
                        "a message of a run that failed is announced all the same",
                        SEQUENCE + "LeaderCalls",
                        "failPart",
                        Mutation.without("forget")),
                new Mutant(
                        "messages of all runs are one",
                        "io.reactivecomm.spi.Enclosure",
                        "equals",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "a run is one thing on all ranks",
                        SEQUENCE + "LeaderComposites",
                        "disputes",
                        Mutation.nothing()),
                new Mutant(
                        "what an engine threw is told to nobody",
                        SEQUENCE + "MemberCall",
                        "forsake",
                        Mutation.nothing()),
                new Mutant(
                        "an engine that has thrown never lets go",
                        SEQUENCE + "CallCompletion",
                        "isFirst",
                        Mutation.without("subscribe")),
                new Mutant(
                        "an engine's failure stays where it is",
                        SEQUENCE + "Member",
                        "ended",
                        Mutation.without("failed")),
                new Mutant(
                        "who gives up an announced end is not heard",
                        SEQUENCE + "LeaderArrivals",
                        "withdrawn",
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
                        "what was ready goes on after its group's end",
                        SEQUENCE + "Announcements",
                        "remove",
                        Mutation.nothing()),
                new Mutant(
                        "a group's messages do not wait for its opening",
                        SEQUENCE + "LeaderOpening",
                        "isOpen",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "members evict another collective than the leader",
                        SEQUENCE + "RecentNames",
                        "read",
                        Mutation.without("add")));
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
        long seed = FuzzSearch.firstFailure(SEQUENCE + "MessageFuzz", mutant, MOST_SEEDS);
        System.out.printf("planted: %s: seed %d%n", mutant.bug(), seed);
        assertThat(seed).as(mutant.bug()).isBetween(1L, (long) MOST_SEEDS);
    }

    @Test
    @Tag("thorough")
    void fuzz_noBug_findsNothing() throws ReflectiveOperationException {
        assertThat(FuzzSearch.firstFailure(SEQUENCE + "MessageFuzz", null, MOST_SEEDS))
                .isNegative();
    }
}
