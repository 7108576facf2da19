package io.reactivecomm.testkit.chain;

import io.reactivecomm.testkit.chain.ChainOperator.Kind;
import io.reactivecomm.testkit.sim.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The events of one seed: which hooks follow each other, and what is between and behind them on which rank in which step.
 *
 * <pre>
 *   gradients ─&gt; place 0 ─&gt; hook ─&gt; place 1 ─&gt; hook ─&gt; place 2 ─&gt; taken back
 * </pre>
 *
 * @param hooks those that reduce, the first in front first
 * @param isTogether whether a step begins when all ranks have ended the one before, or each rank goes on by itself
 * @param gradients of each step
 * @param dice by rank, for what no judgement depends on: the order of gradients, and threads
 */
record ChainPlan(
        Layout layout,
        List<Reducer> hooks,
        Form form,
        boolean isTogether,
        int gradients,
        int steps,
        List<Insert> inserts,
        List<Cut> cuts,
        List<Long> dice) {

    /** Steps in the end without any trouble, in which all that went wrong before would be seen. */
    private static final int LAST_SOUND = 2;

    /** The groups that hooks reduce over; together they are the world. */
    enum Layout {
        PAIR(2, 1),
        TRIPLE(3, 1),
        FOUR(4, 1),
        ROWS_FIRST(4, 2),
        COLUMNS_FIRST(4, 2),
        /** A group of one rank is reduced over first. */
        ALONE_FIRST(2, 2),
        ALONE_LAST(2, 2);

        final int worldSize;
        final int hooks;

        Layout(int worldSize, int hooks) {
            this.worldSize = worldSize;
            this.hooks = hooks;
        }

        /** {@return whether a hook reduces over a group of one} */
        boolean isAlone(int hook) {
            return this == ALONE_FIRST && hook == 0 || this == ALONE_LAST && hook == 1;
        }
    }

    /** A hook that reduces. */
    enum Reducer {
        CALLS,
        BUCKETS,
        SMALL_BUCKETS,
        REGISTERED_BUCKETS
    }

    /** The way in which hooks become a chain. */
    enum Form {
        REGISTERED,
        NESTED_IN_FRONT,
        NESTED_BEHIND,
        TWO_CHAINS
    }

    /** An operator at a place, on one rank in one step. */
    record Insert(int step, int rank, int place, ChainOperator operator) {

        @Override
        public String toString() {
            return "step " + step + " rank " + rank + " place " + place + ": " + operator;
        }
    }

    /** The moment in which a run is cancelled. */
    enum Moment {
        AT_ONCE,
        WHEN_ALL_HAVE_BEGUN,
        AT_THE_FIRST_RESULT
    }

    /** A run that is cancelled, if it has not ended by then. */
    record Cut(int step, int rank, Moment moment) {

        @Override
        public String toString() {
            return "step " + step + " rank " + rank + ": cancelled " + moment;
        }
    }

    static ChainPlan of(SeededRandom dice) {
        Layout layout = dice.oneOf(List.of(Layout.values()));
        List<Reducer> hooks = new ArrayList<>();
        for (int hook = 0; hook < layout.hooks; hook++) {
            // Alone, buckets take for all gradients what the first step shows, and it may have lost some.
            hooks.add(
                    layout.isAlone(hook)
                            ? dice.oneOf(List.of(Reducer.CALLS, Reducer.REGISTERED_BUCKETS))
                            : dice.oneOf(List.of(Reducer.values())));
        }
        Form form = dice.oneOf(List.of(Form.values()));
        boolean isTogether = dice.percent(40);
        int gradients = 1 + dice.below(4);
        int steps = 4 + dice.below(6);
        List<Insert> inserts = new ArrayList<>();
        List<Cut> cuts = new ArrayList<>();
        for (int step = dice.below(2); step < steps - LAST_SOUND; step += 1 + dice.below(3)) {
            disturb(step, layout, inserts, cuts, dice);
        }
        List<Long> own = new ArrayList<>();
        for (int rank = 0; rank < layout.worldSize; rank++) {
            own.add((long) dice.any());
        }
        return new ChainPlan(layout, hooks, form, isTogether, gradients, steps, inserts, cuts, own);
    }

    private static void disturb(int step, Layout layout, List<Insert> inserts, List<Cut> cuts, SeededRandom dice) {
        int culprit = dice.below(layout.worldSize);
        int count = dice.percent(70) ? 1 : 2 + dice.below(2);
        List<Insert> own = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int rank = i == 0 || dice.percent(50) ? culprit : dice.below(layout.worldSize);
            int place = dice.below(layout.hooks + 1);
            ChainOperator operator = dice.oneOf(rank == culprit ? OperatorCatalogue.ALL : OperatorCatalogue.KEEPING);
            if (own.stream().noneMatch(each -> each.rank == rank && each.place == place)) {
                own.add(new Insert(step, rank, place, operator));
            }
        }
        inserts.addAll(own);
        int left = dice.percent(70) ? culprit : dice.below(layout.worldSize);
        Moment moment = dice.oneOf(List.of(Moment.values()));
        boolean isCut = dice.percent(20);
        for (int rank = 0; rank < layout.worldSize; rank++) {
            int each = rank;
            boolean waits =
                    own.stream().anyMatch(insert -> insert.rank == each && insert.operator.kind() == Kind.WAITS);
            if (waits) {
                cuts.add(new Cut(
                        step, rank, moment == Moment.AT_THE_FIRST_RESULT ? Moment.WHEN_ALL_HAVE_BEGUN : moment));
            } else if (isCut && rank == left) {
                cuts.add(new Cut(step, rank, moment));
            }
        }
    }

    int worldSize() {
        return layout.worldSize;
    }

    List<Insert> inserts(int step) {
        return inserts.stream().filter(each -> each.step == step).toList();
    }

    List<Insert> inserts(int step, int rank) {
        return inserts.stream()
                .filter(each -> each.step == step && each.rank == rank)
                .toList();
    }

    List<Cut> cuts(int step, int rank) {
        return cuts.stream()
                .filter(each -> each.step == step && each.rank == rank)
                .toList();
    }

    /** {@return whether nothing goes wrong in a step} */
    boolean isSound(int step) {
        return inserts(step).stream().allMatch(each -> each.operator.kind().isSound())
                && cuts.stream().noneMatch(each -> each.step == step);
    }

    @Override
    public String toString() {
        List<?> events = Stream.concat(inserts.stream(), cuts.stream()).toList();
        return layout + " " + hooks + " " + form + (isTogether ? ", ranks together" : ", each rank by itself")
                + ", gradients=" + gradients + ", steps=" + steps + ", dice=" + dice + ", " + events;
    }
}
