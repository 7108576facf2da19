package io.reactivecomm.simulator;

import io.reactivecomm.internal.group.GroupSteps;
import io.reactivecomm.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * A program of steps on all ranks of the world, drawn beside the calls of a scenario: what it makes in each, what a rank leaves out, and what it
 * subscribes to late.
 *
 * @param numbers the steps' own, rising
 * @param paces for each rank how long after the step before it begins each
 */
record StepPlan(List<Long> numbers, List<List<Long>> paces, List<Made> calls) {

    /** The {@link Part#lag} of a call that a rank does not make. */
    static final int LEFT_OUT = -2;

    /** That of one which it assembles and does not subscribe to. */
    static final int NEVER = -1;

    /** The kinds of calls. */
    enum Kind {
        COLLECTIVE,
        COMPOSITE,
        SEND,
        RECEIVE,
        RECEIVE_FROM_ANY
    }

    /**
     * One rank's part of a call.
     *
     * @param peer the other rank of a message; else 0
     * @param lag how many steps later it is subscribed to; or {@link #LEFT_OUT}, or {@link #NEVER}
     */
    record Part(int rank, Kind kind, int peer, int lag) {}

    /**
     * A call, or the messages from one rank to another.
     *
     * @param step in which it is made, as an index
     */
    record Made(int step, int tag, List<Part> parts) {}

    static StepPlan draw(SeededRandom dice, int worldSize, long span) {
        int steps = dice.oneOf(1, 2, 2, 3, 3, 20);
        List<Long> numbers = new ArrayList<>();
        long number = dice.below(2);
        for (int step = 0; step < steps; step++) {
            numbers.add(number);
            number += dice.oneOf(1, 1, 1, 5);
        }
        List<List<Long>> paces = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            long pace = 1 + span / steps * dice.oneOf(0, 1, 1, 3);
            paces.add(numbers.stream().map(ignored -> dice.between(0, pace)).toList());
        }
        List<Made> calls = new ArrayList<>();
        int busy = Math.min(steps, 4);
        for (int step = 0; step < busy; step++) {
            for (int left = dice.below(4); left > 0; left--) {
                calls.add(
                        dice.percent(40) ? together(dice, worldSize, step) : flow(dice, worldSize, step, calls.size()));
            }
        }
        return new StepPlan(List.copyOf(numbers), List.copyOf(paces), List.copyOf(calls));
    }

    /** {@return the steps that each rank begins at the end: one, so that all others are over, or as many as let them be forgotten} */
    int lastSteps() {
        boolean isAnyNever =
                calls.stream().flatMap(made -> made.parts().stream()).anyMatch(part -> part.lag() == NEVER);
        return isAnyNever ? GroupSteps.KEPT + 1 : 1;
    }

    private static int lag(SeededRandom dice) {
        return switch (dice.below(20)) {
            case 0, 1 -> LEFT_OUT;
            case 2 -> NEVER;
            case 3, 4 -> dice.oneOf(1, 2, GroupSteps.KEPT);
            case 5 -> GroupSteps.KEPT + 1;
            default -> 0;
        };
    }

    private static Made together(SeededRandom dice, int worldSize, int step) {
        Kind kind = dice.percent(30) ? Kind.COMPOSITE : Kind.COLLECTIVE;
        List<Part> parts = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            parts.add(new Part(rank, kind, 0, lag(dice)));
        }
        return new Made(step, 0, List.copyOf(parts));
    }

    private static Made flow(SeededRandom dice, int worldSize, int step, int tag) {
        int source = dice.below(worldSize);
        int destination = (source + 1 + dice.below(worldSize - 1)) % worldSize;
        List<Part> parts = new ArrayList<>();
        for (int left = dice.oneOf(1, 2, 2, 3); left > 0; left--) {
            parts.add(new Part(source, Kind.SEND, destination, lag(dice)));
            parts.add(
                    new Part(destination, dice.percent(40) ? Kind.RECEIVE_FROM_ANY : Kind.RECEIVE, source, lag(dice)));
        }
        return new Made(step, tag, List.copyOf(parts));
    }
}
