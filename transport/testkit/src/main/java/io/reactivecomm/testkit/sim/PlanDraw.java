package io.reactivecomm.testkit.sim;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.testkit.Form;
import io.reactivecomm.internal.transfer.EngineLimits;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Draws the calls of a scenario, and who subscribes to them when. */
final class PlanDraw {

    private static final List<String> NAMES = List.of("", "", "w", "layer1.weight");
    /** Wide integers, so that messages are told apart by any of their elements. */
    private static final List<DType> MESSAGE_TYPES = List.of(DType.INT32, DType.INT64);

    /** Long enough for the slowest weather and the tightest bounds. */
    private static final long PATIENT_NANOS = 10_000_000_000L;

    private final SeededRandom dice;
    private final EngineLimits limits;
    private final long span;
    private final int flawedPercent;
    private final List<CallPlan> plans = new ArrayList<>();
    private final Map<String, Integer> counters = new HashMap<>();

    /**
     * @param span within how long all calls are subscribed to
     * @param flawedPercent how many calls have a flaw
     */
    PlanDraw(SeededRandom dice, EngineLimits limits, long span, int flawedPercent) {
        this.dice = dice;
        this.limits = limits;
        this.span = span;
        this.flawedPercent = flawedPercent;
    }

    List<CallPlan> drawn() {
        return List.copyOf(plans);
    }

    private int count(String what) {
        return counters.merge(what, 1, Integer::sum) - 1;
    }

    private CallPlan.Flaw flaw() {
        return dice.percent(flawedPercent)
                ? dice.oneOf(List.of(CallPlan.Flaw.MISMATCH, CallPlan.Flaw.MISMATCH, CallPlan.Flaw.INVALID, CallPlan.Flaw.ABSENT,
                        CallPlan.Flaw.HURRY))
                : CallPlan.Flaw.NONE;
    }

    /** A collective; sometimes subscribed to two or three times. */
    void together(SimulatedGroup team, Shape shape) {
        String name = dice.oneOf(NAMES);
        int ticket = count(team.id() + name);
        int repeats = dice.percent(15) ? dice.oneOf(2, 3) : 1;
        for (int ordinal = 1; ordinal <= repeats; ordinal++) {
            together(team, shape, new CallKey.Ticket(0, team.id(), name, ticket, ordinal), null);
        }
    }

    /** A call of a group's parent that makes the group. */
    void forming(SimulatedGroup parent, SimulatedGroup team) {
        String name = dice.oneOf(NAMES);
        List<Long> members = team.worldRanks().stream().map(rank -> (long) parent.worldRanks().indexOf(rank)).toList();
        Shape shape = Shape.silent(Form.NEW_GROUP, true).withLengths(members);
        together(parent, shape, new CallKey.Ticket(0, parent.id(), name, count(parent.id() + name), 1), team);
    }

    private void together(SimulatedGroup team, Shape shape, CallKey.Ticket key, @Nullable SimulatedGroup forms) {
        CallPlan.Flaw flaw = team.size() == 1 ? CallPlan.Flaw.NONE : flaw();
        int odd = flaw == CallPlan.Flaw.NONE ? -1 : dice.below(team.size());
        int way = dice.percent(60) ? 1 + dice.below(12) : 0;
        boolean oddWay = flaw == CallPlan.Flaw.MISMATCH && way > 0 && shape.form() == Form.ALL_REDUCE && dice.percent(50);
        boolean oddShape = flaw == CallPlan.Flaw.MISMATCH && !oddWay;
        Shape.Odd other = oddShape ? shape.otherThan(dice, odd, team.size()) : new Shape.Odd(shape, Shape.Odd.EVERYONE);
        List<RankCall> parts = new ArrayList<>();
        for (int rank = 0; rank < team.size(); rank++) {
            if (flaw != CallPlan.Flaw.ABSENT || rank != odd) {
                Shape own = rank == odd && oddShape ? other.shape() : shape.asCalledBy(dice, team.size());
                boolean invalid = rank == odd && flaw == CallPlan.Flaw.INVALID;
                int ownWay = rank == odd && oddWay ? way + 1 : way;
                parts.add(part(plans.size(), rank, own, ownWay, RankCall.Role.MEMBER, 0, invalid, timeout(flaw, rank == odd)));
            }
        }
        plans.add(new CallPlan.Together(plans.size(), team, key, shape, flaw, odd, other.against(), forms, List.copyOf(parts)));
    }

    private RankCall part(int plan, int rank, Shape own, int way, RankCall.Role role, int peer, boolean invalid, long timeout) {
        long cancelAfter = dice.percent(10) ? dice.between(0, 2 * span) : RankCall.NEVER;
        long demandAfter = demandAfter(cancelAfter);
        boolean isBridged = own.form() == Form.NEW_GROUP || dice.percent(25);
        int priority = dice.oneOf(0, 0, 0, 0, 1, 1, 7, -1);
        return new RankCall(plan, rank, own, way, role, peer, invalid, dice.between(0, span), timeout, priority, demandAfter, cancelAfter,
                isBridged);
    }

    /** Most ask at once; of those who leave, some without having asked. */
    private long demandAfter(long cancelAfter) {
        if (cancelAfter != RankCall.NEVER && dice.percent(40)) {
            return RankCall.NEVER;
        }
        return dice.percent(70) ? 0 : dice.percent(50) ? RankCall.AT_THE_END : dice.between(0, 2 * span);
    }

    private long timeout(CallPlan.Flaw flaw, boolean isOdd) {
        return switch (flaw) {
            case NONE, MISMATCH, INVALID -> PATIENT_NANOS + dice.oneOf(0, 1_000_000);
            case ABSENT -> dice.oneOf(20_000_000, 50_000_000, 71_234_567);
            case HURRY -> isOdd || dice.percent(30) ? 1 + dice.between(0, 2 * span) : 50_000_000;
        };
    }

    /** Some messages of one name and tag to one rank, with a receive for each. */
    void flow(SimulatedGroup team) {
        CallPlan.Flaw flaw = flaw();
        int destination = dice.below(team.size());
        String name = dice.oneOf(NAMES);
        int tag = count("tag" + team.id() + name + destination);
        Shape shape = new Shape(Form.MESSAGE, dice.oneOf(MESSAGE_TYPES), List.of(messageCount()), 0, ReduceOp.SUM, true);
        List<Integer> sources = new ArrayList<>();
        for (int left = dice.oneOf(1, 2, 2, 3, 5); left > 0; left--) {
            sources.add((destination + 1 + dice.below(team.size() - 1)) % team.size());
        }
        boolean fromAny = dice.percent(40);
        int odd = flaw == CallPlan.Flaw.NONE ? -1 : dice.below(sources.size());
        boolean oddReceives = flaw != CallPlan.Flaw.MISMATCH && dice.percent(50);
        List<RankCall> parts = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            int source = sources.get(i);
            boolean isOdd = i == odd;
            if (!isOdd || flaw != CallPlan.Flaw.ABSENT || oddReceives) {
                parts.add(message(shape, RankCall.Role.SENDER, source, destination, flaw, isOdd && !oddReceives));
            }
            if (!isOdd || flaw != CallPlan.Flaw.ABSENT || !oddReceives) {
                int from = fromAny ? ProcessGroup.ANY : source;
                parts.add(message(shape, RankCall.Role.RECEIVER, destination, from, flaw, isOdd && oddReceives));
            }
        }
        plans.add(new CallPlan.Flow(plans.size(), team, name, tag, destination, shape, flaw, odd, fromAny, List.copyOf(parts)));
    }

    private long messageCount() {
        int piece = Math.max(1, limits.pieceBytes() / 8);
        return dice.oneOf(0, 1, 2, 7, piece, 3 * piece + 1);
    }

    private RankCall message(Shape shape, RankCall.Role role, int rank, int peer, CallPlan.Flaw flaw, boolean isOdd) {
        Shape own = isOdd && flaw == CallPlan.Flaw.MISMATCH ? shape.otherThan(dice, 0, 2).shape() : shape;
        long timeout = switch (flaw) {
            case NONE, MISMATCH -> PATIENT_NANOS;
            case INVALID, ABSENT -> 80_000_000;
            case HURRY -> isOdd ? timeout(flaw, true) : 80_000_000;
        };
        return part(plans.size(), rank, own, 0, role, peer, isOdd && flaw == CallPlan.Flaw.INVALID, timeout);
    }
}
