package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Operation;
import io.reactivecomm.internal.schedule.choice.Offer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * In place, by causality: whatever the order of events, no element is overwritten before the last step that reads it has read it, and none
 * is read before the step that makes it. For each such pair the first step is held at an element; then the second must not reach it.
 */
class OverwriteOrderTest {

    private static final int MOST_PAIRS = 20;

    /** A step's access to memory. */
    private record Access(int step, Span span, boolean writes) {}

    /** Two steps that touch one element, and the order in which they must. */
    private record Pair(int rank, Access first, Access second) {}

    /** Builders whose steps share no element, or share it within one step. */
    private static final Set<String> APART = Set.of(
            "reduce=direct",
            "all-gather=direct",
            "all-to-all=direct",
            "all-to-all=pairwise",
            "gather=direct",
            "scatter=direct",
            "reduce-scatter=rank-order-direct",
            "barrier=dissemination",
            "monitored-barrier=star");

    static Stream<Offer> offers() {
        return Example.offers();
    }

    @ParameterizedTest
    @MethodSource("offers")
    void steps_ofSmallWorlds_touchSharedElementsInOrder(Offer offer) {
        int pairs = IntStream.of(1, 2, 3, 4, 5, 6, 7, 9)
                .boxed()
                .flatMap(size -> layouts(offer, size))
                .flatMap(layout -> Example.all(offer, layout))
                .filter(example -> example.most() > 0 && example.most() <= 3 * example.size() + 1)
                .mapToInt(example -> requireOrder(example, 30))
                .sum();
        boolean sharesElements = !APART.contains(offer.row());
        assertThat(pairs > 20).as("pairs that were tried: %d", pairs).isEqualTo(sharesElements);
    }

    /** {@return a host for each rank, and for what goes by them two and three that share them, and two ranks, one and all others} */
    private static Stream<Layout> layouts(Offer offer, int size) {
        boolean goesByHosts = offer.name().startsWith("hierarchical");
        Stream<Layout> shared = !goesByHosts
                ? Stream.of()
                : Stream.of(
                        Layout.over(Math.min(2, size), size),
                        Layout.over(Math.min(3, size), size),
                        Layout.of(size, rank -> rank < 2 ? 0 : Math.min(rank, 3)));
        return Stream.concat(Stream.of(Layout.apart(size)), shared).distinct();
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("offers")
    void steps_ofLargeWorlds_touchSharedElementsInOrder(Offer offer) {
        for (int size : new int[] {16, 33}) {
            Example.all(offer, size)
                    .filter(example -> example.inPlace()
                            && (example.most() == size + 1 || example.shape().contains("usual, parts")))
                    .forEach(example -> requireOrder(example, MOST_PAIRS));
        }
    }

    private static int requireOrder(Example example, int most) {
        List<Schedule> schedules = example.schedules();
        List<Pair> pairs = pairs(schedules, example.memories(schedules));
        // Spread over the ranks and steps where there are too many.
        int stride = Math.max(1, pairs.size() / most);
        for (int i = 0; i < pairs.size(); i += stride) {
            requireOrder(example, schedules, pairs.get(i));
        }
        return pairs.size();
    }

    private static List<Pair> pairs(List<Schedule> schedules, List<SymbolicMemory> memories) {
        List<Pair> pairs = new ArrayList<>();
        for (int rank = 0; rank < schedules.size(); rank++) {
            List<Access> accesses = accesses(schedules.get(rank), memories.get(rank));
            for (Access read : accesses) {
                for (Access write : accesses) {
                    if (!read.writes
                            && write.writes
                            && read.step != write.step
                            && overlap(memories.get(rank), read, write)) {
                        // Scratch may be used again: then what comes first in the schedule comes first.
                        boolean readsFirst = read.span.buffer() == Buffer.INPUT || read.step < write.step;
                        pairs.add(readsFirst ? new Pair(rank, read, write) : new Pair(rank, write, read));
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
                case Step.Copy copy
                when memory.share(copy.source(), copy.target())
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

    private static void requireOrder(Example example, List<Schedule> schedules, Pair pair) {
        SymbolicMemory layout = example.memories(schedules).get(pair.rank);
        int firstShared = Math.max(layout.place(pair.first.span, 0), layout.place(pair.second.span, 0));
        int lastShared = Math.min(last(layout, pair.first), last(layout, pair.second));
        for (int place : IntStream.of(firstShared, lastShared).distinct().toArray()) {
            long held = place - layout.place(pair.first.span, 0);
            SymbolicRun.Held first = new SymbolicRun.Held(pair.rank, pair.first.step, held);
            SymbolicRun run =
                    new SymbolicRun(schedules, example.memories(schedules), example.isEagerOnly(), first, place).run();
            assertThat(run.progress(pair.rank, pair.second.step))
                    .as("elements that the second step has dealt with before the first: %s, %s", pair, example)
                    .isLessThanOrEqualTo(place - layout.place(pair.second.span, 0));
        }
    }

    @Test
    void order_ofAScheduleThatOverwritesTooEarly_isSeen() {
        Example example = Example.all(Offer.of(Operation.ALL_REDUCE).get(1), 2)
                .filter(each -> each.inPlace() && each.most() == 3)
                .findFirst()
                .orElseThrow();
        List<Schedule> tooEarly = example.schedules().stream()
                .map(OverwriteOrderTest::withoutWaits)
                .toList();

        SymbolicRun run =
                new SymbolicRun(tooEarly, example.memories(tooEarly), true, new SymbolicRun.Held(0, 0, 0), 1).run();

        assertThat(example.offer().name()).isEqualTo("gather-fold");
        assertThat(run.progress(0, 1))
                .as("elements folded while the send is held")
                .isEqualTo(3);
    }

    private static Schedule withoutWaits(Schedule schedule) {
        List<Step> steps = schedule.steps().stream()
                .map(step -> step instanceof Step.Fold fold
                        ? new Step.Fold(fold.target(), fold.sources(), true, List.of())
                        : step)
                .toList();
        return new Schedule("too-early", steps, 0);
    }
}
