package io.reactivecomm.sequence;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The judgement on the messages of a world that has come to rest: that all have ended, and each with the end that it was for. */
final class MessageJudge {

    private final MessageFuzz.World world;
    private final MessagePlan plan;

    MessageJudge(MessageFuzz.World world) {
        this.world = world;
        this.plan = world.plan();
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    void judge() {
        for (MessageRank rank : world.ranks()) {
            if (!rank.isDead()) {
                rank.made().forEach(end -> require(rank.ends().containsKey(end), "has not ended: " + words(end)));
                require(rank.member().calls() == 0, "a member keeps calls that have ended");
                require(rank.member().next() == Leader.NEVER, "a member waits for what has ended");
            }
        }
        for (int line = 0; line < plan.lines().size(); line++) {
            if (!isSpoiled(plan.lines().get(line).group())) {
                requireOneWithOne(line);
                requireInTurn(line);
                requireNoneLeft(line);
                requireRightEnds(line);
                made(line, true).forEach(this::requireToldAtOnce);
                made(line, false).forEach(this::requireToldAtOnce);
            }
        }
        requireNothingLeft();
    }

    private String words(int end) {
        return plan.ends().get(end) + " of " + plan.lines().get(plan.ends().get(end).line()) + ", end=" + rankOf(end).ends().get(end);
    }

    private MessageRank rankOf(int end) {
        return world.ranks().get(plan.ends().get(end).rank());
    }

    /** Who gives up what others have begun takes its group with it. */
    private boolean isSpoiled(int group) {
        boolean isShort = plan.trouble() != null && plan.trouble().kind() == MessagePlan.Kind.SHORT;
        return plan.isSpoiled(group) || isShort && world.ranks().stream().anyMatch(rank -> rank.abandoned().contains((long) group));
    }

    private List<Integer> made(int line, boolean isSend) {
        return world.ranks().stream()
                .flatMap(rank -> rank.made().stream())
                .filter(end -> plan.ends().get(end).line() == line && plan.ends().get(end).isSend() == isSend)
                .toList();
    }

    private void requireOneWithOne(int line) {
        Set<CallKey.Message> sent = new HashSet<>();
        Set<CallKey.Message> received = new HashSet<>();
        made(line, true).stream().filter(end -> rankOf(end).ends().get(end) == null).forEach(end -> sent.add(rankOf(end).met().get(end)));
        made(line, false).stream().filter(end -> rankOf(end).ends().get(end) == null).forEach(end -> require(
                received.add(rankOf(end).met().get(end)), "received twice: " + words(end)));
        require(sent.equals(received), "sent " + sent + ", received " + received);
    }

    /** Receives take each source's messages in turn, and never one of another. */
    private void requireInTurn(int line) {
        Map<Integer, Long> latest = new HashMap<>();
        for (int end : made(line, false)) {
            CallKey.Message message = rankOf(end).met().get(end);
            if (message != null && rankOf(end).ends().get(end) == null) {
                int peer = plan.ends().get(end).peer();
                require(peer == ProcessGroup.ANY || peer == message.source(), "took another rank's: " + message + " by " + words(end));
                require(latest.merge(message.source(), message.number(), Math::max) == message.number(), "overtook: " + message + " by " + words(end));
            }
        }
    }

    /** Who waits for what a step leaves out hears of it as soon as that is over there, or when others are asked for the first time. */
    private void requireToldAtOnce(int end) {
        Failure failure = rankOf(end).ends().get(end);
        if (failure != null && failure.text().contains("left out")) {
            long known = Math.max(plan.steppedAt(), plan.ends().get(end).at() + Leader.DISPUTE_NANOS);
            require(rankOf(end).endedAt(end) < known + Leader.DISPUTE_NANOS, "should have heard at once: " + words(end));
        }
    }

    private boolean waited(int end) {
        Failure failure = rankOf(end).ends().get(end);
        boolean isInVain = failure != null && (failure.kind() == Failure.Kind.TIMEOUT || failure.text().contains("left out"));
        return isInVain && !plan.has(MessagePlan.Kind.SHORT, end);
    }

    /** No message has waited beside a receive that would have taken it. A message that somebody gave up takes the other end with it. */
    private void requireNoneLeft(int line) {
        boolean isShort = plan.trouble() != null && plan.trouble().kind() == MessagePlan.Kind.SHORT;
        for (int send : isShort ? List.<Integer>of() : made(line, true)) {
            int source = plan.groups().get(plan.lines().get(line).group()).indexOf(plan.ends().get(send).rank());
            for (int receive : made(line, false)) {
                int peer = plan.ends().get(receive).peer();
                boolean fits = peer == ProcessGroup.ANY || peer == source;
                require(!fits || !waited(send) || !waited(receive), "waited beside each other: " + words(send) + ", " + words(receive));
            }
        }
    }

    private void requireRightEnds(int line) {
        MessagePlan.Trouble trouble = plan.trouble();
        boolean isTroubled = trouble != null && plan.ends().get(trouble.end()).line() == line;
        MessagePlan.Receives receives = plan.lines().get(line).receives();
        if (!isTroubled && receives != MessagePlan.Receives.MIXED) {
            made(line, true).forEach(this::requireSuccess);
            made(line, false).forEach(this::requireSuccess);
        } else if (isTroubled && trouble != null && takesOneOther(trouble, receives)) {
            requireOneTrouble(line, trouble);
        }
    }

    /** A receive from any that gives up takes no message with it; and where all are for whoever comes, another may stand in for the end in trouble. */
    private boolean takesOneOther(MessagePlan.Trouble trouble, MessagePlan.Receives receives) {
        boolean givesUp = trouble.kind() == MessagePlan.Kind.REFUSED || trouble.kind() == MessagePlan.Kind.SHORT;
        boolean isFromAny = plan.ends().get(trouble.end()).peer() == ProcessGroup.ANY;
        return receives == MessagePlan.Receives.NAMED || receives == MessagePlan.Receives.OF_ONE && !(givesUp && isFromAny);
    }

    private void requireSuccess(int end) {
        require(rankOf(end).ends().get(end) == null, "should have succeeded: " + words(end));
    }

    /** One end in trouble takes one other with it. */
    private void requireOneTrouble(int line, MessagePlan.Trouble trouble) {
        for (boolean isSend : List.of(true, false)) {
            List<Integer> failed = made(line, isSend).stream().filter(end -> rankOf(end).ends().get(end) != null).toList();
            boolean isMade = trouble.kind() != MessagePlan.Kind.MISSING || plan.ends().get(trouble.end()).isSend() != isSend;
            boolean mayBeNone = trouble.kind() == MessagePlan.Kind.SHORT;
            require(failed.size() == (isMade ? 1 : 0) || mayBeNone && failed.isEmpty(), "should be one: " + failed.stream().map(this::words).toList());
            failed.forEach(end -> require(
                    kind(trouble.kind(), end) == rankOf(end).ends().get(end).kind(), "should have failed with " + kind(trouble.kind(), end) + ": " + words(end)));
        }
        @Nullable Failure own = rankOf(trouble.end()).ends().get(trouble.end());
        require(own != null || trouble.kind() == MessagePlan.Kind.MISSING || trouble.kind() == MessagePlan.Kind.SHORT, "should have failed: "
                + words(trouble.end()));
    }

    /** What is missing in a step is told, but to a receive from any: nobody knows who should have sent. */
    private Failure.Kind kind(MessagePlan.Kind trouble, int end) {
        boolean isTold = plan.lines().get(plan.ends().get(end).line()).isStepped() && plan.ends().get(end).peer() != ProcessGroup.ANY;
        return switch (trouble) {
            case MISMATCH -> Failure.Kind.MISMATCH;
            case REFUSED -> Failure.Kind.INVALID;
            case MISSING -> isTold ? Failure.Kind.MISMATCH : Failure.Kind.TIMEOUT;
            case SHORT -> Failure.Kind.TIMEOUT;
            case ABORT, LOST, LEAVES -> throw new IllegalArgumentException("not one end's: " + trouble);
        };
    }

    private void requireNothingLeft() {
        boolean isAnySpoiled = plan.lines().stream().anyMatch(line -> isSpoiled(line.group()));
        boolean haveWaited = world.ranks().stream().flatMap(rank -> rank.made().stream()).anyMatch(this::waited);
        boolean isShort = plan.trouble() != null && plan.trouble().kind() == MessagePlan.Kind.SHORT;
        require(!world.isLed() || isAnySpoiled || world.leader().pending() == 0, "the leader keeps ends: " + world.leader().pending());
        require(!world.isLed() || isAnySpoiled || haveWaited || isShort || world.leader().failed() == 0, "the leader remembers what all have spoken of");
    }
}
