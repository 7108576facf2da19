package io.reactivecomm.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.Depth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulator finds bugs: each of these, planted in the bytecode of calls and what moves them, within a bounded number of seeds. */
class PlantedBugsTest {

    private static final int MOST_SEEDS = 5_000;

    private static final String ENGINE = "io.reactivecomm.internal.engine.";
    private static final String OBSERVE = "io.reactivecomm.internal.observe.";
    private static final String TRANSFER = "io.reactivecomm.internal.transfer.";
    private static final String GROUP = "io.reactivecomm.internal.group.";

    static List<Mutant> mutants() {
        List<Mutant> all = new ArrayList<>(onLinks());
        all.addAll(inLoans());
        all.addAll(inCalls());
        all.addAll(inFailures());
        all.addAll(inRows());
        all.addAll(inGroups());
        all.addAll(inDemand());
        all.addAll(betweenComposites());
        all.addAll(inComposites());
        all.addAll(inSteps());
        all.addAll(inWindows());
        return all;
    }

    private static List<Mutant> inWindows() {
        return List.of(
                new Mutant(
                        "a window grows beyond what its way holds",
                        TRANSFER + "GrownWindows",
                        "hold",
                        Mutation.calling("max", "min")),
                new Mutant(
                        "a fold has no depth without a long way, or memory",
                        TRANSFER + "FoldDepth",
                        "most",
                        Mutation.calling("min", "max")));
    }

    private static List<Mutant> onLinks() {
        return List.of(
                new Mutant(
                        "a frame is sent after release", TRANSFER + "Outbox", "withdraw", Mutation.without("withdraw")),
                new Mutant(
                        "a withdrawn grant is not answered", TRANSFER + "Outbox", "giveUp", Mutation.without("write")),
                new Mutant("late bytes are written after the end", TRANSFER + "Inbox", "abandon", Mutation.nothing()),
                new Mutant(
                        "half a payload is written after the end",
                        TRANSFER + "Inbox",
                        "lambda$abandon$0",
                        Mutation.without("drain")),
                new Mutant("a withdrawn grant keeps its window", TRANSFER + "Inbox", "withdrawn", Mutation.nothing()),
                new Mutant(
                        "a withdrawn piece keeps its scratch memory",
                        TRANSFER + "Inbox",
                        "withdrawn",
                        Mutation.without("letGo")),
                new Mutant(
                        "a grant is lost when the window opens",
                        TRANSFER + "Inbox",
                        "dataEnd",
                        Mutation.without("pump")),
                new Mutant(
                        "a piece counts as here before its bytes are",
                        TRANSFER + "Inbox",
                        "grant",
                        Mutation.acknowledging("grantNext")),
                new Mutant(
                        "the window does not bound grants", TRANSFER + "Inbox", "pump", Mutation.without("wishBytes")),
                new Mutant(
                        "a link that takes data again is ignored", ENGINE + "Engine", "writable", Mutation.nothing()),
                new Mutant("a dropped opening is not repeated", ENGINE + "Partner", "dropped", Mutation.nothing()),
                new Mutant(
                        "a dropped opening keeps its credit",
                        ENGINE + "Openings",
                        "dropped",
                        Mutation.without("release")),
                new Mutant("parked openings have no bound", ENGINE + "Openings", "park", Mutation.without("size")),
                new Mutant(
                        "eager bytes are left in the link's buffer",
                        "io.reactivecomm.spi.link.Frame$Edge",
                        "keptBytes",
                        Mutation.negated(0)),
                new Mutant(
                        "what came unasked counts as kept for ever", TRANSFER + "Edges", "letGo", Mutation.nothing()),
                new Mutant(
                        "a fold waits for room that only its end makes",
                        TRANSFER + "SendRun",
                        "hasRoom",
                        Mutation.without("needsNoGrants")),
                new Mutant(
                        "what was asked for ahead is never sent",
                        TRANSFER + "SendRun",
                        "answerUnready",
                        Mutation.nothing()),
                new Mutant(
                        "what was asked for ahead is not given up with its call",
                        TRANSFER + "SendRun",
                        "abandon",
                        Mutation.nothing()),
                new Mutant(
                        "dropped announcements are forgotten",
                        TRANSFER + "SendRun",
                        "forgetAnnouncement",
                        Mutation.nothing()));
    }

    private static List<Mutant> inLoans() {
        return List.of(
                new Mutant(
                        "a fold does not look where its loans lie",
                        TRANSFER + "Stage",
                        "beginReading",
                        Mutation.alwaysTrue()),
                new Mutant("what was folded is not given back", TRANSFER + "Stage", "giveBack", Mutation.nothing()),
                new Mutant(
                        "a fold that is abandoned keeps what is lent",
                        TRANSFER + "FoldRun",
                        "abandon",
                        Mutation.without("giveBack")),
                new Mutant("a loan nobody waits for is kept", TRANSFER + "Inbox", "lent", Mutation.without("giveBack")),
                new Mutant("a scarce loan is kept", TRANSFER + "FoldRun", "lent", Mutation.without("isScarce")),
                new Mutant(
                        "a copy is given back before it is made",
                        TRANSFER + "Stage",
                        "keepCopy",
                        Mutation.without("copy")),
                new Mutant("different bytes pass for the same", TRANSFER + "Binding", "isSame", Mutation.alwaysTrue()),
                new Mutant("a void loan is received", TRANSFER + "ReceiveRun", "isRead", Mutation.alwaysTrue()),
                new Mutant(
                        "pieces written out of order end a step",
                        TRANSFER + "SendRun",
                        "written",
                        Mutation.without("from")),
                new Mutant(
                        "another piece than the one written is let go",
                        TRANSFER + "Outbox",
                        "take",
                        Mutation.negated(1)));
    }

    private static List<Mutant> inCalls() {
        String key = "io.reactivecomm.spi.CallKey$Ticket";
        return List.of(
                new Mutant("a step does not wait for those before it", TRANSFER + "Run", "waitFor", Mutation.nothing()),
                new Mutant(
                        "a grant is held while waiting",
                        TRANSFER + "FoldInput$All",
                        "ready",
                        Mutation.calling("max", "min")),
                new Mutant(
                        "a wake-up is lost with staging memory",
                        TRANSFER + "Staging",
                        "release",
                        Mutation.without("forEach")),
                new Mutant(
                        "a call that is done does not end",
                        TRANSFER + "Transfer",
                        "runDone",
                        Mutation.without("touched")),
                new Mutant("a call ends that was only looked at", ENGINE + "Call", "isDone", Mutation.alwaysTrue()),
                new Mutant(
                        "a call ends before its bytes have left",
                        TRANSFER + "SendRun",
                        "sentEagerly",
                        Mutation.negated(0)),
                new Mutant(
                        "messages overtake each other",
                        ENGINE + "MessageQueue",
                        "openWaiting",
                        Mutation.calling("removeLast", "remove")),
                new Mutant("what a receiver wants is ignored", ENGINE + "MessageQueue", "wanted", Mutation.nothing()),
                new Mutant(
                        "a receive that failed still takes messages",
                        ENGINE + "Messages",
                        "unpost",
                        Mutation.nothing()),
                new Mutant(
                        "a call's identity leaves out its group",
                        key,
                        Map.of(
                                "equals",
                                Mutation.leftTo(WrongEquality.class, "ofAnyGroup"),
                                "hashCode",
                                Mutation.nothing())),
                new Mutant(
                        "a call's identity leaves out its ordinal",
                        key,
                        Map.of(
                                "equals",
                                Mutation.leftTo(WrongEquality.class, "ofAnyOrdinal"),
                                "hashCode",
                                Mutation.nothing())));
    }

    private static List<Mutant> inFailures() {
        return List.of(
                new Mutant("a disagreement goes unseen", ENGINE + "Partner", "agrees", Mutation.alwaysTrue()),
                new Mutant("a disagreement is not reported", ENGINE + "Disputes", "report", Mutation.nothing()),
                new Mutant("an abort is not forwarded", ENGINE + "Ranks", "tell", Mutation.nothing()),
                new Mutant("an aborted call is not remembered", OBSERVE + "Tombstones", "find", Mutation.nothing()),
                new Mutant("deadlines never strike", ENGINE + "Watch", "time", Mutation.without("failedEverywhere")),
                new Mutant(
                        "a lost rank's calls go on", ENGINE + "Departures", "endGroupsOf", Mutation.without("forEach")),
                new Mutant(
                        "a cut is not told to third ranks",
                        ENGINE + "Departures",
                        "foundCut",
                        Mutation.without("tellAll")),
                new Mutant(
                        "a cut that is told of ends nothing",
                        ENGINE + "Departures",
                        "reportedCut",
                        Mutation.without("end")),
                new Mutant("a cut is a loss to third ranks", ENGINE + "Departures", "holdsBoth", Mutation.alwaysTrue()),
                new Mutant(
                        "a departed rank's calls go on",
                        ENGINE + "Departures",
                        "failWhatNeeds",
                        Mutation.without("failedEverywhere")));
    }

    private static List<Mutant> inRows() {
        return List.of(
                new Mutant(
                        "what two ranks exchange is not compared",
                        TRANSFER + "Edges",
                        Map.of("outgoing", Mutation.nothing(), "incoming", Mutation.nothing())),
                new Mutant(
                        "a span is looked for in the wrong tensor",
                        TRANSFER + "TensorRow",
                        "tensorOf",
                        Mutation.negated(1)),
                new Mutant(
                        "uneven parts are taken for even ones",
                        "io.reactivecomm.collective.Partition",
                        "isEven",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "two calls share their scratch",
                        TRANSFER + "Scratch",
                        "take",
                        Mutation.calling("peek", "poll")),
                new Mutant(
                        "a call takes a block of scratch for one of another size",
                        TRANSFER + "Scratch",
                        "take",
                        Mutation.without("max")),
                new Mutant(
                        "later edges of an opening are not taken in",
                        TRANSFER + "Edges",
                        "exchange",
                        Mutation.without("announced")));
    }

    private static List<Mutant> inGroups() {
        return List.of(
                new Mutant(
                        "the ranks of a new group are not compared",
                        "io.reactivecomm.collective.NewGroup",
                        "signature",
                        Mutation.without("mix")),
                new Mutant(
                        "a new group is known too late",
                        ENGINE + "Beginning",
                        "beginCollective",
                        Mutation.without("register")),
                new Mutant("that a member left a group is ignored", ENGINE + "Reception", "left", Mutation.nothing()),
                new Mutant("who left a group is forgotten", ENGINE + "GroupState", "left", Mutation.nothing()),
                new Mutant(
                        "a member that leaves one group fails the calls of others",
                        ENGINE + "Departures",
                        "lambda$left$0",
                        Mutation.alwaysTrue()),
                new Mutant(
                        "a member that leaves does not say so",
                        ENGINE + "Departures",
                        "leaveGroup",
                        Mutation.without("tell")),
                new Mutant(
                        "a group that all have left is kept", ENGINE + "World", "forgetIfDeserted", Mutation.nothing()),
                new Mutant(
                        "a member that has all it asked for is missed",
                        TRANSFER + "SendRun",
                        "isSpokenFor",
                        Mutation.nothing()),
                new Mutant(
                        "a group that was not agreed on is not abandoned",
                        ENGINE + "Departures",
                        "abandon",
                        Mutation.nothing()),
                new Mutant(
                        "a group that ended before it was known is forgotten",
                        ENGINE + "World",
                        "endUnknown",
                        Mutation.nothing()));
    }

    private static List<Mutant> inDemand() {
        String result = "io.reactivecomm.internal.stream.ResultSubscription";
        String call = GROUP + "CallSubscription";
        return List.of(
                new Mutant(
                        "a result that waits for demand is lost at its end", result, "onComplete", Mutation.negated(0)),
                new Mutant("a result that was there before is not told", result, "emitWaiting", Mutation.nothing()),
                new Mutant(
                        "a result whose subscriber leaves is lost",
                        result,
                        "cancel",
                        Mutation.without("discardWaiting")),
                new Mutant("a call that ended before is not told", call, "request", Mutation.without("execute")),
                new Mutant(
                        "a call whose result was asked for before is not told",
                        call,
                        "succeeded",
                        Mutation.negated(0)));
    }

    /** In what one rank knows of its runs. */
    private static List<Mutant> inComposites() {
        String run = ENGINE + "Composite";
        String runs = ENGINE + "Composites";
        return List.of(
                new Mutant(
                        "a call's identity leaves out its composite",
                        "io.reactivecomm.spi.CallKey$Ticket",
                        Map.of(
                                "equals",
                                Mutation.leftTo(WrongEquality.class, "ofAnyRun"),
                                "hashCode",
                                Mutation.nothing())),
                new Mutant("a call in a composite is not counted", run, "partBegins", Mutation.nothing()),
                new Mutant("a composite in another is not counted", runs, "admitted", Mutation.without("partBegins")),
                new Mutant("a composite ends before a call in it", run, "endIfThrough", Mutation.negated(2)),
                new Mutant("a composite in a failed one goes on", runs, "fail", Mutation.without("outer")),
                new Mutant("calls begin in a composite that is over", run, "isOpen", Mutation.alwaysTrue()),
                new Mutant(
                        "a composite that failed is not remembered",
                        ENGINE + "WaitingParts",
                        "remember",
                        Mutation.nothing()),
                new Mutant(
                        "a composite that ended is not remembered",
                        ENGINE + "Composite$EndedRuns",
                        "add",
                        Mutation.nothing()),
                new Mutant(
                        "who waits is not looked for when a body is over",
                        ENGINE + "WaitingParts",
                        "isAnyIn",
                        Mutation.nothing()),
                new Mutant(
                        "messages that others wait for are not remembered",
                        ENGINE + "Wanted",
                        "add",
                        Mutation.nothing()),
                new Mutant("a composite in dispute ends before the verdict", run, "dispute", Mutation.nothing()));
    }

    /** In what ranks tell each other of them. */
    private static List<Mutant> betweenComposites() {
        String runs = ENGINE + "Composites";
        String waiting = ENGINE + "WaitingParts";
        String openings = ENGINE + "Openings";
        return List.of(
                new Mutant("a body's failure is not told", waiting, "tellFailure", Mutation.without("tell")),
                new Mutant("a composite that failed elsewhere goes on", runs, "failed", Mutation.nothing()),
                new Mutant("calls that wait for a failed composite go on waiting", waiting, "fail", Mutation.nothing()),
                new Mutant(
                        "a call fails before its composite is known to have",
                        waiting,
                        "tellRunsAround",
                        Mutation.nothing()),
                new Mutant(
                        "dropped calls of a composite are forgotten", openings, "rememberDropped", Mutation.nothing()),
                new Mutant("another composite goes unseen", ENGINE + "Contradictions", "matched", Mutation.nothing()),
                new Mutant("a plain call for a composite goes unseen", openings, "contradicts", Mutation.nothing()),
                new Mutant(
                        "a composite whose group has ended is waited for",
                        runs,
                        Map.of("tellIfGroupIsOver", Mutation.nothing(), "groupEnded", Mutation.without("forEach"))),
                new Mutant(
                        "a message whose call has ended keeps its credit",
                        ENGINE + "Beginning",
                        "wasTaken",
                        Mutation.without("taken")));
    }

    /** None of these shows in a program without steps. */
    private static List<Mutant> inSteps() {
        String steps = ENGINE + "Steps";
        String step = GROUP + "GroupStep";
        return List.of(
                new Mutant(
                        "a call's identity leaves out its step",
                        "io.reactivecomm.spi.CallKey$Ticket",
                        Map.of(
                                "equals",
                                Mutation.leftTo(WrongEquality.class, "ofAnyStep"),
                                "hashCode",
                                Mutation.nothing())),
                new Mutant("who waits in a step is not told when it is over", steps, "stepped", Mutation.nothing()),
                new Mutant(
                        "a call that was left out of a step is waited for", steps, "refuseIfNever", Mutation.nothing()),
                new Mutant(
                        "a composite that was left out of a step is waited for",
                        steps,
                        "refuse",
                        Mutation.without("neverBegins")),
                new Mutant(
                        "calls that peers have opened in a step are overlooked",
                        steps,
                        "stepped",
                        Mutation.without("refuseIfNever")),
                new Mutant(
                        "a receive that was left out of a step is waited for",
                        steps,
                        "refuseMessages",
                        Mutation.nothing()),
                new Mutant("a message that was left out of a step is waited for", steps, "answer", Mutation.nothing()),
                new Mutant(
                        "a message that a receive from any takes is not counted",
                        ENGINE + "Messages",
                        "wantAfter",
                        Mutation.nothing()),
                new Mutant(
                        "a receive from any takes the word that none comes",
                        ENGINE + "Messages$ArrivedMessage",
                        "isLeftOut",
                        Mutation.nothing()),
                new Mutant(
                        "a step is forgotten with what is under way in it", step, "enter", Mutation.without("merge")),
                new Mutant("a message is waited for that was subscribed to", step, "enter", Mutation.without("less")),
                new Mutant("the end of the last of its kind is not told", step, "leave", Mutation.without("run")),
                new Mutant("steps are never forgotten", GROUP + "GroupSteps", "forgetOldest", Mutation.nothing()));
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
        Find find = Find.first(Simulator.class, mutant, MOST_SEEDS);
        System.out.printf("planted: %s: seed %d: %s%n", mutant.bug(), find.seed(), find.violation());
        assertThat(find.seed()).as(mutant.bug()).isBetween(1L, (long) MOST_SEEDS);
    }

    @Test
    @Tag("thorough")
    void simulator_noBug_findsNothing() throws ReflectiveOperationException {
        assertThat(Find.first(Simulator.class, null, MOST_SEEDS)).isEqualTo(new Find(Simulator.NO_SEED, null));
    }
}
