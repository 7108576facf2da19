package io.reactivecomm.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.schedule.Example.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * In place, by causality: whatever the order of events, no element is overwritten before the last step that reads it has read it, and none
 * is read before the step that makes it. For each such pair the first step is held at an element; then the second must not reach it.
 */
class OverwriteOrderTest {

    private static final int MOST_PAIRS = 40;

    /** A step's access to memory. */
    private record Access(int step, Span span, boolean writes) {}

    /** Two steps that touch one element, and the order in which they must. */
    private record Pair(int rank, Access first, Access second) {}

    @ParameterizedTest
    @EnumSource(Kind.class)
    void steps_ofSmallWorlds_touchSharedElementsInOrder(Kind kind) {
        int pairs = IntStream.rangeClosed(1, 9)
                .map(size -> Example.all(kind, size)
                        .filter(example -> example.inPlace() && example.count() > 0 && example.count() <= size + 1)
                        .mapToInt(example -> requireOrder(example, Integer.MAX_VALUE))
                        .sum())
                .sum();
        boolean sharesElements = kind == Kind.RANK_ORDER || kind == Kind.GATHER_FOLD || kind == Kind.BROADCAST || kind == Kind.CHAIN_REDUCE;
        assertThat(pairs > 20).as("pairs that were tried: %d", pairs).isEqualTo(sharesElements);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void steps_ofLargeWorlds_touchSharedElementsInOrder(Kind kind) {
        for (int size : new int[] {16, 33, 64}) {
            Example.all(kind, size)
                    .filter(example -> example.inPlace() && example.count() == size + 1)
                    .forEach(example -> requireOrder(example, MOST_PAIRS));
        }
    }

    private static int requireOrder(Example example, int most) {
        List<Pair> pairs = pairs(example);
        // Spread over the ranks and steps where there are too many.
        int stride = Math.max(1, pairs.size() / most);
        for (int i = 0; i < pairs.size(); i += stride) {
            requireOrder(example, pairs.get(i));
        }
        return pairs.size();
    }

    private static List<Pair> pairs(Example example) {
        List<Schedule> schedules = example.schedules();
        List<SymbolicMemory> memories = example.memories(schedules);
        List<Pair> pairs = new ArrayList<>();
        for (int rank = 0; rank < schedules.size(); rank++) {
            List<Access> accesses = accesses(schedules.get(rank), memories.get(rank));
            for (Access read : accesses) {
                for (Access write : accesses) {
                    if (!read.writes && write.writes && read.step != write.step && overlap(memories.get(rank), read, write)) {
                        boolean readsTheInput = read.span.buffer() == Buffer.INPUT;
                        pairs.add(readsTheInput ? new Pair(rank, read, write) : new Pair(rank, write, read));
                    }
                }
            }
        }
        return pairs;
    }

    private static List<Access> accesses(Schedule schedule, SymbolicMemory memory) {
        List<Access> accesses = new ArrayList<>();
        for (int i = 0; i < schedule.steps().size(); i++) {
            int step = i;
            switch (schedule.steps().get(i)) {
                case Step.Send send -> accesses.add(new Access(step, send.source(), false));
                case Step.Receive receive -> accesses.add(new Access(step, receive.target(), true));
                case Step.Copy copy when memory.share(copy.source(), copy.target())
                        && memory.isSamePlace(copy.source(), copy.target()) -> {}
                case Step.Copy copy -> {
                    accesses.add(new Access(step, copy.source(), false));
                    accesses.add(new Access(step, copy.target(), true));
                }
                case Step.Fold fold -> {
                    accesses.add(new Access(step, fold.target(), true));
                    fold.sources().forEach(source -> {
                        if (source instanceof Step.Source.Local local) {
                            accesses.add(new Access(step, local.span(), false));
                        }
                    });
                }
            }
        }
        return accesses;
    }

    private static boolean overlap(SymbolicMemory memory, Access one, Access two) {
        if (!memory.share(one.span, two.span) || one.span.count() == 0 || two.span.count() == 0) {
            return false;
        }
        int from = Math.max(memory.place(one.span, 0), memory.place(two.span, 0));
        int until = Math.min(last(memory, one), last(memory, two));
        return from <= until;
    }

    private static int last(SymbolicMemory memory, Access access) {
        return memory.place(access.span, access.span.count() - 1);
    }

    private static void requireOrder(Example example, Pair pair) {
        SymbolicMemory layout = example.memories(example.schedules()).get(pair.rank);
        int firstShared = Math.max(layout.place(pair.first.span, 0), layout.place(pair.second.span, 0));
        int lastShared = Math.min(last(layout, pair.first), last(layout, pair.second));
        for (int place : new int[] {firstShared, lastShared}) {
            long held = place - layout.place(pair.first.span, 0);
            List<Schedule> schedules = example.schedules();
            SymbolicRun run = new SymbolicRun(
                            schedules, example.memories(schedules), example.kind().isEagerOnly(), new SymbolicRun.Held(pair.rank, pair.first.step, held), place)
                    .run();
            assertThat(run.progress(pair.rank, pair.second.step))
                    .as("elements that the second step has dealt with before the first: %s, %s", pair, example)
                    .isLessThanOrEqualTo(place - layout.place(pair.second.span, 0));
        }
    }

    @Test
    void order_ofAScheduleThatOverwritesTooEarly_isSeen() {
        Algorithm tooEarly = new Algorithm() {
            @Override
            public String name() {
                return "too-early";
            }

            @Override
            public Schedule schedule(Place place) {
                // Gather and fold without waiting for the sends.
                List<Step> steps = new GatherFoldAllReduce().schedule(place).steps();
                Step.Fold fold = (Step.Fold) steps.getLast();
                List<Step> changed = new ArrayList<>(steps.subList(0, steps.size() - 1));
                changed.add(new Step.Fold(fold.target(), fold.sources(), true, List.of()));
                return new Schedule(name(), changed, 0);
            }
        };
        List<Schedule> schedules =
                IntStream.range(0, 2).mapToObj(rank -> tooEarly.schedule(new Place(3, rank, 2, -1))).toList();
        List<SymbolicMemory> memories = new Example(Kind.GATHER_FOLD, 2, 3, -1, true).memories(schedules);

        SymbolicRun run = new SymbolicRun(schedules, memories, true, new SymbolicRun.Held(0, 0, 0), 1).run();

        assertThat(run.progress(0, 1)).as("elements folded while the send is held").isEqualTo(3);
    }
}
