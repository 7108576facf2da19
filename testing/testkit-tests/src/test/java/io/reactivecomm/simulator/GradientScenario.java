package io.reactivecomm.simulator;

import io.reactivecomm.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * All that a seed decides of a schedule of {@link StepMachineSimulator}: ranks, parameters, hooks, what each rank says of each parameter in each step, and one trouble.
 *
 * @param steps for each step each rank's part
 * @param spanNanos the most that anything takes
 */
record GradientScenario(
        int ranks,
        List<String> names,
        List<DrawnHook> hooks,
        List<List<RankPart>> steps,
        Trouble trouble,
        long spanNanos) {

    /** The kinds of hooks. */
    enum HookKind {
        /** Reduces several gradients by one call, and agrees on which are present. */
        BUCKETS,
        /** Reduces each gradient by a call of its own, and announces its last call when its pass ends. */
        EACH,
        /** The same, and leaves that announcement to the machine. */
        EACH_UNANNOUNCED,
        PASSING,
        /** Keeps all gradients until its pass ends. */
        KEEPING;

        boolean hasGroup() {
            return this == BUCKETS || this == EACH || this == EACH_UNANNOUNCED;
        }
    }

    /**
     * A hook, the same on all ranks.
     *
     * @param isHalf whether it reduces over the ranks of the same parity, or over all
     * @param names of the gradients that it takes
     */
    record DrawnHook(HookKind kind, boolean isHalf, Set<String> names) {}

    /** The things that a rank may say of a parameter. */
    enum Saying {
        PRODUCED,
        ABSENT,
        KEPT
    }

    /** One item of a step's source. */
    record Item(String name, Saying saying) {}

    /**
     * One rank's part of one step.
     *
     * @param items in the order in which they come; parameters that are left out are never mentioned
     * @param batch the number of results that its program requests at once
     */
    record RankPart(List<Item> items, int batch) {}

    /** The kinds of troubles. */
    enum TroubleKind {
        NONE,
        SOURCE_FAILS,
        HOOK_FAILS,
        OPENING_FAILS,
        TAKING_BACK_FAILS,
        CANCELLED,
        LOST
    }

    /**
     * The one thing that goes wrong.
     *
     * @param after how much later than the step is subscribed to, or after how many items, gradients or results
     */
    record Trouble(TroubleKind kind, int step, int rank, long after) {

        boolean is(TroubleKind which, int inStep, int onRank) {
            return kind == which && step == inStep && rank == onRank;
        }
    }

    static GradientScenario of(SeededRandom dice) {
        int ranks = dice.oneOf(1, 2, 2, 2, 3, 3, 4);
        List<String> names = IntStream.range(0, dice.oneOf(0, 1, 2, 3, 3, 4, 6))
                .mapToObj(i -> "p" + i)
                .toList();
        List<DrawnHook> hooks = new ArrayList<>();
        int count = dice.oneOf(0, 1, 1, 2, 2, 3, 4);
        for (int hook = 0; hook < count; hook++) {
            hooks.add(hook(names, dice));
        }
        long span = dice.oneOf(1, 10, 1_000);
        boolean isWhole = dice.percent(25);
        int steps = dice.oneOf(1, 1, 2, 3);
        List<List<RankPart>> parts = new ArrayList<>();
        for (int step = 0; step < steps; step++) {
            parts.add(parts(ranks, names, isWhole, dice));
        }
        TroubleKind kind = dice.percent(50) ? TroubleKind.NONE : dice.oneOf(List.of(TroubleKind.values()));
        boolean isCounted = kind != TroubleKind.CANCELLED && kind != TroubleKind.LOST;
        long after = isCounted ? dice.below(3) : dice.between(0, 12 * span);
        Trouble trouble = new Trouble(kind, dice.below(steps), dice.below(ranks), after);
        return new GradientScenario(ranks, names, List.copyOf(hooks), List.copyOf(parts), trouble, span);
    }

    private static DrawnHook hook(List<String> names, SeededRandom dice) {
        HookKind kind = dice.percent(40) ? HookKind.BUCKETS : dice.oneOf(List.of(HookKind.values()));
        Set<String> taken = new HashSet<>(names);
        if (dice.percent(30)) {
            taken.removeIf(name -> dice.percent(50));
        }
        return new DrawnHook(kind, dice.percent(30), Set.copyOf(taken));
    }

    private static List<RankPart> parts(int ranks, List<String> names, boolean isWhole, SeededRandom dice) {
        // The same parameters are missing on all ranks now and then: then parallel hooks agree, and buckets give
        // nothing.
        Set<String> unused = new HashSet<>(names);
        unused.removeIf(name -> isWhole || dice.percent(70));
        boolean differ = !isWhole && dice.percent(60);
        List<RankPart> parts = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            List<Item> items = new ArrayList<>();
            for (String name : names) {
                if (!unused.contains(name) && !(differ && dice.percent(30))) {
                    items.add(new Item(name, Saying.PRODUCED));
                } else if (dice.percent(60)) {
                    items.add(new Item(name, dice.percent(70) ? Saying.ABSENT : Saying.KEPT));
                }
            }
            dice.shuffle(items);
            parts.add(new RankPart(List.copyOf(items), dice.oneOf(1, 1, 2, Integer.MAX_VALUE)));
        }
        return List.copyOf(parts);
    }

    /** {@return the ranks over which a hook of one rank reduces} */
    List<Integer> members(DrawnHook hook, int rank) {
        return IntStream.range(0, ranks)
                .filter(other -> !hook.isHalf() || other % 2 == rank % 2)
                .boxed()
                .toList();
    }

    /** {@return the hooks that have a composite call, by their places} */
    List<Integer> composites() {
        return IntStream.range(0, hooks.size())
                .filter(hook -> hooks.get(hook).kind().hasGroup())
                .boxed()
                .toList();
    }

    /** {@return the gradient that a rank produces} */
    long produced(int step, int rank, String name) {
        return (1 + step + 3L * names.indexOf(name)) << 8 * rank;
    }

    /** {@return the home of a gradient in a hook's buckets, where a rank keeps it} */
    long home(int hook, int rank, String name) {
        return (101 + hook + 7L * names.indexOf(name)) << 8 * rank;
    }

    /** {@return whether a rank's notice of a parameter comes to a hook} */
    boolean isNoticed(int hook, String name) {
        return hooks.get(hook).names().contains(name)
                && hooks.subList(0, hook).stream()
                        .noneMatch(before ->
                                before.kind().hasGroup() && before.names().contains(name));
    }
}
