package io.reactivecomm.simulator;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.testkit.SeededRandom;
import io.reactivecomm.testkit.collective.Form;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Draws the calls of a scenario, and who subscribes to them when. */
final class PlanDraw {

    private static final List<String> NAMES = List.of("", "", "w", "layer1.weight");
    /** Wide integers, so that messages are told apart by any of their elements. */
    private static final List<DType> MESSAGE_TYPES = List.of(DType.INT32, DType.INT64);

    /** Long enough for the slowest weather and the tightest bounds. */
    static final long PATIENT_NANOS = 10_000_000_000L;

    private final SeededRandom dice;
    private final EngineLimits limits;
    private final long span;
    private final int flawedPercent;
    private final List<CallPlan> plans;
    private final Map<String, Integer> counters;
    private final @Nullable BodyStep inside;

    /**
     * @param span within how long all calls are subscribed to
     * @param flawedPercent how many calls have a flaw
     */
    PlanDraw(SeededRandom dice, EngineLimits limits, long span, int flawedPercent) {
        this(dice, limits, span, flawedPercent, new ArrayList<>(), new HashMap<>(), null);
    }

    private PlanDraw(
            SeededRandom dice,
            EngineLimits limits,
            long span,
            int flawedPercent,
            List<CallPlan> plans,
            Map<String, Integer> counters,
            @Nullable BodyStep inside) {
        this.dice = dice;
        this.limits = limits;
        this.span = span;
        this.flawedPercent = flawedPercent;
        this.plans = plans;
        this.counters = counters;
        this.inside = inside;
    }

    /**
     * {@return what draws the calls of a step of a body, each soon after the step has begun}
     *
     * @param counted what is counted in the body's run
     */
    PlanDraw at(BodyStep step, Map<String, Integer> counted) {
        return new PlanDraw(dice, limits, Math.max(1, span / 4), flawedPercent / 2, plans, counted, step);
    }

    List<CallPlan> drawn() {
        return List.copyOf(plans);
    }

    private int count(String what) {
        return counters.merge(what, 1, Integer::sum) - 1;
    }

    /** {@return the next identity of a group under a name} */
    private CallKey.Ticket ticket(SimulatedGroup team) {
        String name = dice.oneOf(NAMES);
        return new CallKey.Ticket(0, team.id(), name, count(team.id() + name), 1);
    }

    /** In a body, a call that a rank leaves out is a fault of the body. */
    private CallPlan.Flaw flaw() {
        CallPlan.Flaw flaw = dice.percent(flawedPercent)
                ? dice.oneOf(List.of(
                        CallPlan.Flaw.MISMATCH,
                        CallPlan.Flaw.MISMATCH,
                        CallPlan.Flaw.INVALID,
                        CallPlan.Flaw.ABSENT,
                        CallPlan.Flaw.HURRY))
                : CallPlan.Flaw.NONE;
        return inside != null && flaw == CallPlan.Flaw.ABSENT ? CallPlan.Flaw.INVALID : flaw;
    }

    /** {@return the identities of a call that is sometimes subscribed to two or three times} */
    List<CallKey.Ticket> runs(SimulatedGroup team) {
        CallKey.Ticket first = ticket(team);
        int repeats = dice.percent(15) ? dice.oneOf(2, 3) : 1;
        return IntStream.rangeClosed(1, repeats)
                .mapToObj(ordinal ->
                        new CallKey.Ticket(first.generation(), first.group(), first.name(), first.ticket(), ordinal))
                .toList();
    }

    /** A collective; sometimes subscribed to two or three times. */
    void together(SimulatedGroup team, Shape shape) {
        runs(team).forEach(key -> together(team, shape, key, null));
    }

    /** A call of a group's parent that makes the group. */
    void forming(SimulatedGroup parent, SimulatedGroup team) {
        CallKey.Ticket key = ticket(parent);
        List<Long> members = team.worldRanks().stream()
                .map(rank -> (long) parent.worldRanks().indexOf(rank))
                .toList();
        Shape shape = Shape.silent(Form.NEW_GROUP, true).withLengths(members);
        together(parent, shape, key, team);
    }

    private void together(SimulatedGroup team, Shape shape, CallKey.Ticket key, @Nullable SimulatedGroup forms) {
        CallPlan.Flaw flaw = team.size() == 1 ? CallPlan.Flaw.NONE : flaw();
        int odd = flaw == CallPlan.Flaw.NONE ? -1 : dice.below(team.size());
        int way = dice.percent(60) ? 1 + dice.below(12) : 0;
        boolean oddWay =
                flaw == CallPlan.Flaw.MISMATCH && way > 0 && shape.form() == Form.ALL_REDUCE && dice.percent(50);
        boolean oddShape = flaw == CallPlan.Flaw.MISMATCH && !oddWay;
        Shape.Odd other = oddShape ? shape.otherThan(dice, odd, team.size()) : new Shape.Odd(shape, Shape.Odd.EVERYONE);
        List<RankCall> parts = new ArrayList<>();
        for (int rank = 0; rank < team.size(); rank++) {
            if (flaw != CallPlan.Flaw.ABSENT || rank != odd) {
                Shape own = rank == odd && oddShape ? other.shape() : shape.asCalledBy(dice, team.size());
                boolean invalid = rank == odd && flaw == CallPlan.Flaw.INVALID;
                int ownWay = rank == odd && oddWay ? way + 1 : way;
                parts.add(part(
                        plans.size(), rank, own, ownWay, RankCall.Role.MEMBER, 0, invalid, timeout(flaw, rank == odd)));
            }
        }
        plans.add(new CallPlan.Together(
                plans.size(), team, key, shape, flaw, odd, other.against(), forms, List.copyOf(parts), inside));
    }

    /** The call that one rank makes under an identity under which others make a composite. */
    void plain(SimulatedGroup team, CallKey.Ticket key, int odd, BodyStep instead) {
        Shape shape = new Shape(Form.ALL_REDUCE, DType.INT32, List.of(3L), 0, ReduceOp.SUM, true);
        RankCall part = part(plans.size(), odd, shape, 0, RankCall.Role.MEMBER, 0, false, PATIENT_NANOS);
        plans.add(new CallPlan.Together(
                plans.size(),
                team,
                key,
                shape,
                CallPlan.Flaw.MISMATCH,
                odd,
                Shape.Odd.EVERYONE,
                null,
                List.of(part),
                instead));
    }

    private RankCall part(
            int plan, int rank, Shape own, int way, RankCall.Role role, int peer, boolean invalid, long timeout) {
        long cancelAfter = dice.percent(10) ? dice.between(0, 2 * span) : RankCall.NEVER;
        long demandAfter = demandAfter(cancelAfter);
        boolean isBridged = own.form() == Form.NEW_GROUP || dice.percent(25);
        int priority = dice.oneOf(0, 0, 0, 0, 1, 1, 7, -1);
        return new RankCall(
                plan,
                rank,
                own,
                way,
                role,
                peer,
                invalid,
                dice.between(0, span),
                timeout,
                priority,
                demandAfter,
                cancelAfter,
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

    /** A message that comes when its receive has failed and the body is over fails the composite: in one, both ends run. */
    private CallPlan.Flaw flowFlaw() {
        CallPlan.Flaw flaw = flaw();
        return inside == null || flaw == CallPlan.Flaw.MISMATCH ? flaw : CallPlan.Flaw.NONE;
    }

    /** Some messages of one name and tag to one rank, with a receive for each. */
    void flow(SimulatedGroup team) {
        boolean fromAny = dice.percent(40) && !(inside != null && inside.body().mayLackCalls());
        CallPlan.Flaw flaw = flowFlaw();
        int destination = dice.below(team.size());
        String name = dice.oneOf(NAMES);
        int tag = count("tag" + team.id() + name + destination);
        Shape shape =
                new Shape(Form.MESSAGE, dice.oneOf(MESSAGE_TYPES), List.of(messageCount()), 0, ReduceOp.SUM, true);
        List<Integer> sources = new ArrayList<>();
        for (int left = dice.oneOf(1, 2, 2, 3, 5); left > 0; left--) {
            sources.add((destination + 1 + dice.below(team.size() - 1)) % team.size());
        }
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
        plans.add(new CallPlan.Flow(
                plans.size(), team, name, tag, destination, shape, flaw, odd, fromAny, List.copyOf(parts), inside));
    }

    private long messageCount() {
        int piece = Math.max(1, limits.pieceBytes() / 8);
        return dice.oneOf(0, 1, 2, 7, piece, 3 * piece + 1);
    }

    private RankCall message(Shape shape, RankCall.Role role, int rank, int peer, CallPlan.Flaw flaw, boolean isOdd) {
        Shape own = isOdd && flaw == CallPlan.Flaw.MISMATCH
                ? shape.otherThan(dice, 0, 2).shape()
                : shape;
        long timeout = switch (flaw) {
            case NONE, MISMATCH -> PATIENT_NANOS;
            case INVALID, ABSENT -> 80_000_000;
            case HURRY -> isOdd ? timeout(flaw, true) : 80_000_000;
        };
        return part(plans.size(), rank, own, 0, role, peer, isOdd && flaw == CallPlan.Flaw.INVALID, timeout);
    }
}
