package io.reactivecomm.internal.schedule;

import io.reactivecomm.Operation;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Partitions;
import io.reactivecomm.internal.schedule.SymbolicMemory.Value;
import io.reactivecomm.internal.schedule.choice.Offer;
import io.reactivecomm.internal.schedule.choice.Offer.Need;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One call as the builders see it, with what it should come to.
 *
 * @param layout the ranks and their hosts
 * @param shape the partitions in words
 * @param partitions each rank's
 * @param root the root, or −1
 * @param inPlace whether input and output share memory as far as the operation lets them
 */
record Example(Offer offer, Layout layout, String shape, List<Partitions> partitions, int root, boolean inPlace) {

    /** The partitions of a call's rows, by rank. */
    private record Shape(String name, IntFunction<Partitions> partitions) {}

    /** Every builder. */
    static Stream<Offer> offers() {
        return Stream.of(Operation.values())
                .filter(each -> each != Operation.NEW_GROUP)
                .flatMap(each -> Offer.of(each).stream());
    }

    /** Every partition that has a corner in it, every kind of root, in place and out of place. */
    static Stream<Example> all(Offer offer, int size) {
        return all(offer, Layout.apart(size));
    }

    static Stream<Example> all(Offer offer, Layout layout) {
        int size = layout.size();
        boolean hasRoot = hasRoot(offer.operation());
        int[] roots = hasRoot
                ? IntStream.of(0, 1, size / 2, size - 1)
                        .filter(root -> root < size)
                        .distinct()
                        .toArray()
                : new int[] {-1};
        return IntStream.of(roots)
                .boxed()
                .flatMap(root -> shapes(offer, size, root).stream().flatMap(shape -> {
                    List<Partitions> partitions =
                            IntStream.range(0, size).mapToObj(shape.partitions).toList();
                    return Stream.of(true, false)
                            .filter(inPlace -> allows(offer.operation(), inPlace))
                            .map(inPlace -> new Example(offer, layout, shape.name, partitions, root, inPlace));
                }));
    }

    /** One example with elements, out of which no part is empty unless the operation has none. */
    static Example usual(Offer offer, int size) {
        return all(offer, size)
                .filter(each -> each.shape.contains("usual"))
                .findFirst()
                .orElseThrow();
    }

    private static boolean hasRoot(Operation operation) {
        return switch (operation) {
            case REDUCE, BROADCAST, GATHER, SCATTER -> true;
            default -> false;
        };
    }

    private static boolean allows(Operation operation, boolean inPlace) {
        return switch (operation) {
            case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, GATHER, SCATTER -> true;
            case ALL_TO_ALL -> !inPlace;
            default -> inPlace;
        };
    }

    private static List<Shape> shapes(Offer offer, int size, int root) {
        boolean isEven = offer.needs().contains(Need.EVEN);
        IntUnaryOperator ragged = rank -> (rank + 1) % 3;
        return switch (offer.operation()) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, BROADCAST -> rows(size);
            case ALL_GATHER ->
                lengths(size, (each, rank) -> new Partitions(Partition.whole(each[rank]), Partition.of(each)));
            case REDUCE_SCATTER ->
                lengths(size, (each, rank) -> new Partitions(Partition.of(each), Partition.whole(each[rank])));
            case ALL_TO_ALL ->
                Stream.of(0, 1, 3, -1)
                        .filter(each -> each >= 0 || !isEven)
                        .map(each -> new Shape(
                                each == 3 ? "usual, parts of 3" : "parts of " + each,
                                rank -> new Partitions(
                                        column(size, peer -> each < 0 ? (rank + 2 * peer) % 3 : each),
                                        column(size, peer -> each < 0 ? (peer + 2 * rank) % 3 : each))))
                        .toList();
            case GATHER ->
                lengths(
                        size,
                        (each, rank) -> new Partitions(
                                Partition.whole(each[rank]), rank == root ? Partition.of(each) : Partition.nothing()));
            case SCATTER ->
                lengths(
                        size,
                        (each, rank) -> new Partitions(
                                rank == root ? Partition.of(each) : Partition.nothing(), Partition.whole(each[rank])));
            default -> List.of(new Shape("usual, no elements", rank -> Partitions.NONE));
        };
    }

    private static List<Shape> rows(int size) {
        long more = size > 32 ? 2L * size : 67;
        List<Shape> shapes = new ArrayList<>();
        IntStream.of(0, 1, size - 1, size, size + 1, (int) more).distinct().forEach(count -> {
            Partitions partitions = new Partitions(Partition.whole(count), Partition.whole(count));
            shapes.add(new Shape((count == more ? "usual, " : "") + count + " elements", rank -> partitions));
        });
        return shapes;
    }

    private interface ByLengths {
        Partitions partitions(long[] lengths, int rank);
    }

    private static List<Shape> lengths(int size, ByLengths partitions) {
        return Stream.of(0, 1, 3, -1)
                .map(each -> {
                    long[] lengths = IntStream.range(0, size)
                            .mapToLong(rank -> each < 0 ? (rank + 1) % 3 : each)
                            .toArray();
                    return new Shape(
                            each == 3 ? "usual, parts of 3" : "parts of " + each,
                            rank -> partitions.partitions(lengths, rank));
                })
                .toList();
    }

    private static Partition column(int size, IntUnaryOperator count) {
        return Partition.of(
                IntStream.range(0, size).mapToLong(count::applyAsInt).toArray());
    }

    /** {@return the elements of the rank that has most} */
    long most() {
        return partitions.stream()
                .mapToLong(each -> Math.max(each.input().total(), each.output().total()))
                .max()
                .orElse(0);
    }

    /** {@return whether it relies on sends that do not wait for their receivers} */
    boolean isEagerOnly() {
        return offer.needs().contains(Need.EAGER);
    }

    int size() {
        return layout.size();
    }

    Place place(int rank) {
        return new Place(rank, layout, root, partitions.get(rank));
    }

    List<Schedule> schedules() {
        return IntStream.range(0, size())
                .mapToObj(rank -> offer.algorithm().schedule(place(rank)))
                .toList();
    }

    List<SymbolicMemory> memories(List<Schedule> schedules) {
        List<SymbolicMemory> memories = new ArrayList<>();
        for (int rank = 0; rank < size(); rank++) {
            memories.add(memory(rank, schedules.get(rank).scratchCount()));
        }
        return memories;
    }

    /** In place the smaller of input and output is the rank's own part of the larger. */
    private SymbolicMemory memory(int rank, long scratch) {
        Partition input = partitions.get(rank).input();
        Partition output = partitions.get(rank).output();
        boolean shares = inPlace && input.parts() > 0 && output.parts() > 0;
        int[] inputAt = IntStream.range(0, (int) input.total()).toArray();
        int[] outputAt = IntStream.range(0, (int) output.total()).toArray();
        if (!shares) {
            Arrays.setAll(outputAt, i -> (int) input.total() + i);
        } else if (offer.operation() == Operation.ALL_GATHER || offer.operation() == Operation.GATHER) {
            for (int tensor = 0; tensor < input.parts(); tensor++) {
                long from = output.from(tensor * size() + rank);
                for (int i = 0; i < input.count(tensor); i++) {
                    inputAt[(int) input.from(tensor) + i] = (int) from + i;
                }
            }
        } else if (offer.operation() == Operation.REDUCE_SCATTER || offer.operation() == Operation.SCATTER) {
            Arrays.setAll(outputAt, i -> (int) input.from(rank) + i);
        }
        return new SymbolicMemory(rank, inputAt, outputAt, (int) scratch);
    }

    /** {@return a run that has not begun} */
    SymbolicRun prepared(List<Schedule> schedules, List<SymbolicMemory> memories, boolean eager, long seed) {
        return new SymbolicRun(schedules, memories, eager, SymbolicRun.NOTHING, seed);
    }

    /** Requires what the operation promises. */
    void verify(List<SymbolicMemory> memories) {
        for (int rank = 0; rank < size(); rank++) {
            SymbolicMemory memory = memories.get(rank);
            for (int i = 0; i < partitions.get(rank).output().total(); i++) {
                Value expected = expected(rank, i);
                Value actual = memory.output(i);
                boolean isRight = offer.needs().contains(Need.ASSOCIATIVE)
                        ? expected.equals(sorted(actual))
                        : expected.equals(actual);
                if (!isRight) {
                    throw new AssertionError("wrong element: rank=" + rank + ", actual=" + actual + ", expected="
                            + expected + ", " + this);
                }
            }
            for (int i = 0; !inPlace && i < partitions.get(rank).input().total(); i++) {
                if (!memory.input(i).equals(new Value(i, List.of(rank), false))) {
                    throw new AssertionError("an input is changed: rank=" + rank + ", " + this);
                }
            }
        }
    }

    private static Value sorted(Value value) {
        return value == null
                ? null
                : new Value(value.index(), value.ranks().stream().sorted().toList(), value.finished());
    }

    /** {@return what an element of a rank's output should be} */
    Value expected(int rank, long i) {
        Partition output = partitions.get(rank).output();
        return switch (offer.operation()) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE -> reduced(i);
            case REDUCE -> rank == root ? reduced(i) : new Value(i, List.of(rank), false);
            case REDUCE_SCATTER -> reduced(partitions.get(rank).input().from(rank) + i);
            case BROADCAST -> new Value(i, List.of(root), false);
            case SCATTER -> new Value(partitions.get(root).input().from(rank) + i, List.of(root), false);
            default -> {
                int part = 0;
                while (i >= output.from(part + 1)) {
                    part++;
                }
                int source = part % size();
                Partition input = partitions.get(source).input();
                long from = offer.operation() == Operation.ALL_TO_ALL ? input.from(rank) : input.from(part / size());
                yield new Value(from + i - output.from(part), List.of(source), false);
            }
        };
    }

    private Value reduced(long index) {
        return new Value(index, new RanksInOrder(size()), true);
    }

    /** The ranks of a group in their order, as a view: a list for each element took a third of the proofs' time. */
    private static final class RanksInOrder extends AbstractList<Integer> {

        private final int size;

        private RanksInOrder(int size) {
            this.size = size;
        }

        @Override
        public Integer get(int rank) {
            return rank;
        }

        @Override
        public int size() {
            return size;
        }
    }

    @Override
    public String toString() {
        return offer.row() + ", ranks by host " + layout + ", " + shape + ", root " + root
                + (inPlace ? ", in place" : "");
    }
}
