package io.reactivecomm.testkit.sim;

import io.reactivecomm.DType;
import io.reactivecomm.bucket.BucketOptions;
import io.reactivecomm.bucket.Parameter;
import io.reactivecomm.bucket.ResultOrder;
import io.reactivecomm.bucket.Scaling;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The steps that the ranks of a group train in, through buckets.
 *
 * @param options of each rank of the group
 * @param overlapping whether a step is subscribed to without waiting for the end of the one before
 * @param asks whether ranks have to agree first, and not all did so in steps before
 * @param parts for each rank of the group its part of each step
 */
record TrainingScenario(
        SimulatedGroup team,
        List<Parameter> parameters,
        List<BucketOptions> options,
        boolean overlapping,
        boolean asks,
        List<List<StepTiming>> parts) {

    /** Long enough for the slowest weather, the tightest bounds and the slowest consumer. */
    private static final long PATIENT_NANOS = 10_000_000_000L;

    /** The {@link StepTiming#cancelAfter()} of a subscriber that does not cancel. */
    static final long NEVER = -1;

    private static final List<List<DType>> TYPES = List.of(
            List.of(DType.FLOAT32),
            List.of(DType.FLOAT64),
            List.of(DType.FLOAT32, DType.FLOAT32, DType.BFLOAT16),
            List.of(DType.FLOAT16, DType.FLOAT64));

    /**
     * One rank's part of one step.
     *
     * @param ready its gradients in the order in which they come, by their places among the parameters; those left out are missing
     * @param gapNanos the most that the next gradient takes once it is asked for
     * @param batch how many results its consumer asks for at once
     * @param pauseNanos the most that the consumer takes before it asks again
     * @param after when it is subscribed to, after the one before
     * @param cancelAfter how long after that the consumer cancels, or {@link #NEVER}
     * @param timeoutNanos the deadline of each bucket
     */
    record StepTiming(
            List<Integer> ready,
            long gapNanos,
            long batch,
            long pauseNanos,
            long after,
            long cancelAfter,
            long timeoutNanos) {}

    int steps() {
        return parts.getFirst().size();
    }

    /** {@return whether anybody may cancel that step} */
    boolean mayBeCancelled(int step) {
        return parts.stream().anyMatch(of -> of.get(step).cancelAfter != NEVER);
    }

    /** {@return whether a deadline may strike in that step} */
    boolean mayTimeOut(int step) {
        return parts.stream().anyMatch(of -> of.get(step).timeoutNanos != PATIENT_NANOS);
    }

    /** {@return what tells a gradient's elements from those of all others} */
    static int salt(int step, int parameter) {
        return 1_000 + 64 * step + parameter;
    }

    /** Draws the training of a team. */
    static TrainingScenario of(SimulatedGroup team, NetworkConditions weather, SeededRandom dice) {
        List<Parameter> parameters = parameters(dice);
        BucketOptions agreed = BucketOptions.DEFAULT
                .withBucketBytes(dice.oneOf(1, 16, 40, 64, 200))
                .withFirstBucketBytes(dice.oneOf(1, 8, 32))
                .withScaling(dice.oneOf(List.of(Scaling.SUM, Scaling.AVERAGE)));
        long span = weather.mostNanos() * dice.oneOf(1, 5, 40);
        boolean hurried = dice.percent(10);
        int steps = dice.oneOf(1, 2, 2, 3);
        int odd = dice.percent(20) ? dice.below(team.size()) : -1;
        int oddStep = dice.below(steps);
        List<BucketOptions> options = new ArrayList<>();
        List<List<StepTiming>> parts = new ArrayList<>();
        for (int rank = 0; rank < team.size(); rank++) {
            options.add(
                    agreed.withOrder(dice.oneOf(List.of(ResultOrder.values()))).withPriorities(dice.percent(50)));
            List<StepTiming> own = new ArrayList<>();
            for (int step = 0; step < steps; step++) {
                own.add(part(parameters.size(), span, hurried, rank == odd && step == oddStep, dice));
            }
            parts.add(own);
        }
        boolean overlapping = dice.percent(50);
        boolean asks = dice.percent(40);
        if (asks && dice.percent(60)) {
            hurryFirst(parts.get(dice.below(team.size())), span, dice);
        }
        return new TrainingScenario(team, parameters, List.copyOf(options), overlapping, asks, List.copyOf(parts));
    }

    /** A deadline may tear the first agreement: some ranks have heard of it, and this one has not. */
    private static void hurryFirst(List<StepTiming> own, long span, SeededRandom dice) {
        StepTiming first = own.getFirst();
        own.set(
                0,
                new StepTiming(
                        first.ready,
                        first.gapNanos,
                        first.batch,
                        first.pauseNanos,
                        first.after,
                        first.cancelAfter,
                        1 + dice.between(0, 2 * span)));
    }

    private static List<Parameter> parameters(SeededRandom dice) {
        List<DType> types = dice.oneOf(TYPES);
        return IntStream.range(0, dice.oneOf(0, 1, 2, 3, 5, 8, 8))
                .mapToObj(i -> new Parameter("p" + i, dice.oneOf(types), dice.oneOf(0, 1, 1, 2, 3, 5, 8, 17, 40)))
                .toList();
    }

    private static StepTiming part(int parameters, long span, boolean hurried, boolean isOdd, SeededRandom dice) {
        List<Integer> ready =
                new ArrayList<>(IntStream.range(0, parameters).boxed().toList());
        dice.shuffle(ready);
        if (dice.percent(30)) {
            ready.subList(dice.below(parameters + 1), parameters).clear();
        }
        boolean isHasty = hurried && dice.percent(50);
        return new StepTiming(
                List.copyOf(ready),
                dice.oneOf(0, 1, 4) * span / Math.max(1, parameters),
                dice.oneOf(1, 1, 2, 3, Integer.MAX_VALUE),
                dice.oneOf(0, 1, 2) * span,
                dice.between(1, span),
                isOdd ? dice.between(0, 4 * span) : NEVER,
                isHasty ? 1 + dice.between(0, 2 * span) : PATIENT_NANOS);
    }

    /** {@return the training in lines for a reader} */
    String describe() {
        StringBuilder text = new StringBuilder("training in group " + team.id() + (overlapping ? ", steps overlap" : "")
                + (asks ? ", first they agree" : "") + ": " + parameters);
        for (int rank = 0; rank < team.size(); rank++) {
            text.append("\n    rank ").append(rank).append(' ').append(options.get(rank));
            parts.get(rank).forEach(part -> text.append("\n        ").append(part));
        }
        return text.append('\n').toString();
    }
}
