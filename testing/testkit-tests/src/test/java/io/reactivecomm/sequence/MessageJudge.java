package io.reactivecomm.sequence;

import static io.reactivecomm.sequence.WorldJudge.require;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.sequence.FuzzCall.Line;
import io.reactivecomm.sequence.FuzzCall.Receives;
import io.reactivecomm.sequence.FuzzPlan.Kind;
import io.reactivecomm.sequence.FuzzPlan.Trouble;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The judgement on the messages of a world that has come to rest: that each end has met the one that it was for, or both have heard why not. */
final class MessageJudge {

    private final FuzzWorld world;
    private final FuzzPlan plan;
    /** Ends by number in the plan, as their ranks made them. */
    private final Map<Line, List<Integer>> sends = new HashMap<>();

    private final Map<Line, List<Integer>> receives = new HashMap<>();

    MessageJudge(FuzzWorld world) {
        this.world = world;
        this.plan = world.plan();
        for (FuzzCall call : plan.calls()) {
            if (call instanceof FuzzCall.End end) {
                sends.put(end.line(), made(end.line(), true));
                receives.put(end.line(), made(end.line(), false));
            }
        }
    }

    private List<Integer> made(Line line, boolean isSend) {
        return world.ranks().stream()
                .filter(rank -> !rank.isDead())
                .flatMap(rank -> rank.program().begun().stream())
                .filter(number -> plan.calls().get(number) instanceof FuzzCall.End end
                        && end.line().equals(line)
                        && end.isSend() == isSend)
                .toList();
    }

    void judge() {
        WorldJudge.judge(world);
        for (Line line : sends.keySet()) {
            requireInTurn(line);
            if (!isAbandoned(line.group())) {
                requireOneWithOne(line);
            }
            if (!isSpoiled(line.group())) {
                requireNoneLeft(line);
                requireRightEnds(line);
                sends.get(line).forEach(this::requireToldAtOnce);
                receives.get(line).forEach(this::requireToldAtOnce);
            }
        }
        requireCollectives();
        requireNothingLeft();
    }

    private FuzzCall.End end(int number) {
        return (FuzzCall.End) plan.calls().get(number);
    }

    private FuzzProgram programOf(int end) {
        return world.rank(end(end).rank()).program();
    }

    private @Nullable Failure failure(int end) {
        return programOf(end).ends().get(end);
    }

    private String words(int end) {
        return end + ", " + end(end) + ", end=" + failure(end);
    }

    private boolean has(Kind kind) {
        return plan.troubles().stream().anyMatch(each -> each.kind() == kind);
    }

    /** {@return whether the engine of some member was told to fail what runs in a group} */
    private boolean isAbandoned(int group) {
        return plan.groups().get(group).stream()
                .map(world::rank)
                .anyMatch(rank -> rank.isDead() || rank.engine().isAbandoned(new GroupKey(0, group)));
    }

    /** Who gives up what others have begun takes its group with it; who closes it or leaves takes what waits there. */
    private boolean isSpoiled(int group) {
        return plan.isSpoiled(group)
                || plan.departs()
                || plan.closing() != FuzzPlan.Closing.NEVER
                || has(Kind.SHORT) && isAbandoned(group);
    }

    /** What runs on one side runs on the other. */
    private void requireOneWithOne(Line line) {
        Set<CallKey> sent = new HashSet<>();
        Set<CallKey> received = new HashSet<>();
        sends.get(line).stream()
                .filter(end -> failure(end) == null)
                .forEach(end -> sent.add(programOf(end).met(end)));
        receives.get(line).stream()
                .filter(end -> failure(end) == null)
                .forEach(end -> require(received.add(programOf(end).met(end)), "received twice: " + words(end)));
        require(sent.equals(received), "sent " + sent + ", received " + received);
    }

    /** Receives take each source's messages in turn, and never one of another. */
    private void requireInTurn(Line line) {
        Map<Integer, Long> latest = new HashMap<>();
        for (int end : receives.get(line)) {
            if (failure(end) == null && programOf(end).met(end) instanceof CallKey.Message message) {
                int peer = end(end).peer();
                require(
                        peer == ProcessGroup.ANY || peer == message.source(),
                        "took another rank's: " + message + " by " + words(end));
                require(
                        latest.merge(message.source(), message.number(), Math::max) == message.number(),
                        "overtook: " + message + " by " + words(end));
            }
        }
    }

    /** Who waits for what a step leaves out hears of it as soon as that is over there, or when others are asked for the first time. */
    private void requireToldAtOnce(int end) {
        Failure failure = failure(end);
        if (failure != null && failure.text().contains("left out")) {
            long known = Math.max(plan.steppedAt(), programOf(end).begunAt(end) + Leader.DISPUTE_NANOS);
            require(
                    programOf(end).endedAt(end) < known + Leader.DISPUTE_NANOS,
                    "should have heard at once: " + words(end));
        }
    }

    private boolean waited(int end) {
        Failure failure = failure(end);
        boolean isInVain = failure != null
                && (failure.kind() == Failure.Kind.TIMEOUT || failure.text().contains("left out"));
        return isInVain && plan.trouble(Kind.SHORT, end(end).rank(), end) == null;
    }

    /** No message has waited beside a receive that would have taken it. A message that somebody gave up takes the other end with it. */
    private void requireNoneLeft(Line line) {
        for (int send : has(Kind.SHORT) ? List.<Integer>of() : sends.get(line)) {
            int source = plan.groups().get(line.group()).indexOf(end(send).rank());
            for (int receive : receives.get(line)) {
                int peer = end(receive).peer();
                boolean fits = peer == ProcessGroup.ANY || peer == source;
                require(
                        !fits || !waited(send) || !waited(receive),
                        "waited beside each other: " + words(send) + ", " + words(receive));
            }
        }
    }

    private void requireRightEnds(Line line) {
        Trouble trouble = plan.troubles().isEmpty() ? null : plan.troubles().getFirst();
        boolean isTroubled = trouble != null
                && trouble.kind().isOfOne()
                && plan.calls().get(trouble.call()) instanceof FuzzCall.End end
                && end.line().equals(line);
        if (mayFailWithRun(line.enclosure())) {
            sends.get(line).forEach(this::requireEndWithRun);
            receives.get(line).forEach(this::requireEndWithRun);
        } else if (!isTroubled && line.receives() != Receives.MIXED) {
            sends.get(line).forEach(this::requireSuccess);
            receives.get(line).forEach(this::requireSuccess);
        } else if (isTroubled && takesOneOther(trouble, line.receives())) {
            requireOneTrouble(line, trouble);
        }
    }

    /** {@return whether calls of a run that all else goes well with may fail: with one of it, or because one waits for what does not come} */
    private boolean mayFailWithRun(@Nullable Enclosure enclosure) {
        if (enclosure == null) {
            return false;
        }
        CallKey run = enclosure.run().outermost();
        return plan.troubles().stream().anyMatch(each -> isIn(run, plan.calls().get(each.call())))
                || plan.calls().stream()
                        .anyMatch(each -> isIn(run, each)
                                && each instanceof FuzzCall.End end
                                && end.line().receives() == Receives.MIXED);
    }

    private static boolean isIn(CallKey run, FuzzCall call) {
        Enclosure enclosure = call.enclosure();
        return enclosure != null && enclosure.run().outermost().equals(run);
    }

    /**
     * Who waits in a run for one that is over hears of it; of those that receive from any nobody knows for whom they wait. If a run fails, all hear of it
     * at once, without anybody being asked.
     */
    private void requireEndWithRun(int end) {
        Failure failure = failure(end);
        boolean waits = failure != null && failure.kind() == Failure.Kind.TIMEOUT;
        boolean isAlone =
                end(end).peer() == ProcessGroup.ANY && !programOf(end).runs().hasFailed(end);
        require(!waits || isAlone || has(Kind.SHORT), "should have failed with its run: " + words(end));
        if (failure != null && has(Kind.RUN_FAILS) && failure.text().contains(FuzzWorld.BODY_FAILED)) {
            long known =
                    Math.max(plan.troubles().getFirst().at(), programOf(end).begunAt(end));
            require(
                    programOf(end).endedAt(end) < known + Leader.DISPUTE_NANOS,
                    "should have heard at once: " + words(end));
        }
        require(
                failure == null || failure.kind() != Failure.Kind.INTERNAL,
                "should have failed with its run: " + words(end));
    }

    /** A receive from any that gives up takes no message with it; and where all are for whoever comes, another may stand in for the end in trouble. */
    private boolean takesOneOther(Trouble trouble, Receives all) {
        boolean givesUp = trouble.kind() == Kind.REFUSED || trouble.kind() == Kind.SHORT;
        boolean isFromAny = end(trouble.call()).peer() == ProcessGroup.ANY;
        return all == Receives.NAMED || all == Receives.OF_ONE && !(givesUp && isFromAny);
    }

    private void requireSuccess(int end) {
        require(failure(end) == null, "should have succeeded: " + words(end));
    }

    /** One end in trouble takes one other with it. */
    private void requireOneTrouble(Line line, Trouble trouble) {
        for (boolean isSend : List.of(true, false)) {
            List<Integer> failed = (isSend ? sends : receives)
                    .get(line).stream().filter(end -> failure(end) != null).toList();
            boolean isMade =
                    trouble.kind() != Kind.MISSING || end(trouble.call()).isSend() != isSend;
            boolean mayBeNone = trouble.kind() == Kind.SHORT;
            require(
                    failed.size() == (isMade ? 1 : 0) || mayBeNone && failed.isEmpty(),
                    "should be one: " + failed.stream().map(this::words).toList());
            for (int end : failed) {
                Failure.Kind right = kind(trouble.kind(), end);
                require(right == failure(end).kind(), "should have failed with " + right + ": " + words(end));
            }
        }
        boolean mayHaveNone = trouble.kind() == Kind.MISSING || trouble.kind() == Kind.SHORT;
        require(mayHaveNone || failure(trouble.call()) != null, "should have failed: " + words(trouble.call()));
    }

    /** What is missing in a step is told, but to a receive from any: nobody knows who should have sent. */
    private Failure.Kind kind(Kind trouble, int end) {
        boolean isTold = end(end).line().step() != CallKey.NO_STEP && end(end).peer() != ProcessGroup.ANY;
        return switch (trouble) {
            case MISMATCH -> Failure.Kind.MISMATCH;
            case REFUSED -> Failure.Kind.INVALID;
            case MISSING -> isTold ? Failure.Kind.MISMATCH : Failure.Kind.TIMEOUT;
            case SHORT -> Failure.Kind.TIMEOUT;
            case ENGINE_FAILS, ENGINE_THROWS, OPENING_FAILS, ABORT, LOST, LEAVES, CLOSES, RUN_FAILS, RUN_DIFFERS ->
                throw new IllegalArgumentException("not one end's: " + trouble);
        };
    }

    /** A collective ends in one way on all ranks, whatever becomes of the messages beside it. */
    private void requireCollectives() {
        for (int number = 0; number < plan.calls().size(); number++) {
            FuzzCall call = plan.calls().get(number);
            if (call instanceof FuzzCall.All && !isAbandoned(call.group())) {
                int own = number;
                long ends = plan.groups().get(call.group()).stream()
                        .filter(rank -> hasSucceeded(rank, own))
                        .count();
                boolean isTroubled = plan.troubles().stream().anyMatch(each -> each.call() == own)
                        || mayFailWithRun(call.enclosure());
                require(
                        ends == 0 || ends == plan.groups().get(call.group()).size(),
                        "succeeded on some ranks: call=" + call);
                require(ends > 0 || isTroubled || isSpoiled(call.group()), "should have succeeded: call=" + call);
            }
        }
    }

    private boolean hasSucceeded(int rank, int call) {
        Map<Integer, @Nullable Failure> ends = world.rank(rank).program().ends();
        return ends.containsKey(call) && ends.get(call) == null;
    }

    /** A failure is forgotten when all have spoken of it; who makes no such call, in no step and no run, is not asked. */
    private void requireNothingLeft() {
        boolean allSpeak = true;
        for (int number = 0; number < plan.calls().size(); number++) {
            int own = number;
            boolean isLoose = switch (plan.calls().get(number)) {
                case FuzzCall.All all -> all.enclosure() == null;
                case FuzzCall.End end -> end.enclosure() == null && end.line().step() == CallKey.NO_STEP;
            };
            boolean mayFailAlone = plan.calls().get(number) instanceof FuzzCall.End end
                            && end.line().receives() == Receives.MIXED
                    || plan.troubles().stream()
                            .anyMatch(each -> each.call() == own && each.kind().isOfOne());
            allSpeak &= !isLoose || !mayFailAlone;
        }
        require(
                !world.isLed() || !allSpeak || world.leader().failed() == 0,
                "the leader remembers what all have spoken of");
    }
}
