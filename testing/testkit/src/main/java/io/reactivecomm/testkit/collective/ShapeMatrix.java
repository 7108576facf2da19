package io.reactivecomm.testkit.collective;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The shapes that a collective is tried with. They are each size of world with each operation, type, reduction, count and place, or so few
 * of these that any two values still meet.
 *
 * @param sizes the sizes of worlds
 * @param exhaustive every combination; otherwise pairwise
 */
public record ShapeMatrix(List<Integer> sizes, boolean exhaustive) {

    /** The house's sizes: all small ones, then one odd and one even that are no power of two less or more. */
    public static final List<Integer> SIZES = List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16);

    /** A prime of elements: more than travels with an announcement for types of at least two bytes, less than a piece. */
    private static final int PRIME = 4999;

    /** The same where there is one part for each rank: there, for types of eight bytes. */
    private static final int PRIME_OF_PARTS = 1031;

    /** Larger worlds would move tens of megabytes for each case. */
    private static final int MOST_RANKS_IN_BULK = 3;

    private static final List<Element> ELEMENTS = elements();

    /** What was chosen for some sizes: every case of a contract asks anew. */
    private static final Map<List<Integer>, List<Combination>> PAIRWISE = new ConcurrentHashMap<>();

    /** The elements that are reduced, with the reduction, or carried. */
    record Element(DType type, @Nullable ReduceOp op) {}

    /** {@return every combination} */
    public static ShapeMatrix full() {
        return new ShapeMatrix(SIZES, true);
    }

    /** {@return a few combinations in which any two values of two parameters meet} */
    public static ShapeMatrix pairwise() {
        return new ShapeMatrix(SIZES, false);
    }

    /** {@return the pairwise combinations, in the suite for three sizes of worlds: for a transport that repeats the contracts} */
    public static ShapeMatrix repeated() {
        return new ShapeMatrix(Depth.isWhole() ? SIZES : List.of(2, 3, 5), false);
    }

    /** {@return a few combinations in a few sizes, in the suite in one: for an engine beside links} */
    public static ShapeMatrix few() {
        return new ShapeMatrix(Depth.isWhole() ? List.of(1, 2, 3, 5, 8) : List.of(3), false);
    }

    /** {@return as {@link #few}, for a selection of the contracts} */
    public static ShapeMatrix fewer() {
        return new ShapeMatrix(Depth.isWhole() ? List.of(1, 2, 3, 5) : List.of(2), false);
    }

    private static List<Element> elements() {
        List<Element> elements = new ArrayList<>();
        for (DType type : DType.values()) {
            elements.add(new Element(type, null));
            for (ReduceOp op : ReduceOp.values()) {
                if (op.supports(type)) {
                    elements.add(new Element(type, op));
                }
            }
        }
        return List.copyOf(elements);
    }

    /** {@return the counts that are tried with that operation in a world of that size} */
    public static List<Long> counts(Kind kind, int size) {
        boolean hasParts = kind == Kind.ALL_GATHER || kind == Kind.REDUCE_SCATTER;
        return List.of(0L, 1L, size - 1L, (long) size, size + 1L, (long) (hasParts ? PRIME_OF_PARTS : PRIME));
    }

    /** {@return the cases of one operation in a world of one size} */
    public List<CollectiveCase> cases(Kind kind, int size) {
        List<Combination> cells =
                exhaustive ? cells(sizes) : PAIRWISE.computeIfAbsent(sizes, each -> Pairwise.chosen(cells(each)));
        List<CollectiveCase> cases = new ArrayList<>();
        for (Combination each : cells) {
            if (each.kind == kind && each.size == size) {
                cases.add(each.toCase(cases.size()));
            }
        }
        return cases;
    }

    /** One combination, by the places of its values in their lists. */
    record Combination(Kind kind, int element, int size, int count, boolean inPlace) {

        private CollectiveCase toCase(int turn) {
            Element what = ELEMENTS.get(element);
            int root = kind.hasOutput() ? 0 : turn % size;
            return new CollectiveCase(
                    kind, what.type(), what.op(), counts(kind, size).get(count), root, inPlace);
        }

        /** {@return the values as numbers that no two parameters share} */
        int[] values() {
            return new int[] {kind.ordinal(), 10 + element, 200 + size, 300 + count, 400 + (inPlace ? 1 : 0)};
        }
    }

    private static List<Combination> cells(List<Integer> sizes) {
        List<Combination> cells = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            for (int element = 0; element < ELEMENTS.size(); element++) {
                for (int size : sizes) {
                    if (kind.reduces() == (ELEMENTS.get(element).op() != null)) {
                        addCells(cells, kind, element, size);
                    }
                }
            }
        }
        return cells;
    }

    /** In a world of one rank some counts are the same; each is tried once. */
    private static void addCells(List<Combination> cells, Kind kind, int element, int size) {
        List<Long> counts = counts(kind, size);
        for (int count = 0; count < counts.size(); count++) {
            if (counts.lastIndexOf(counts.get(count)) == count) {
                cells.add(new Combination(kind, element, size, count, true));
                if (kind.hasOutput()) {
                    cells.add(new Combination(kind, element, size, count, false));
                }
            }
        }
    }

    /**
     * {@return cases of several pieces: of every operation in a world of that size, with types and reductions that change with the size}
     *
     * @param pieceBytes the most that an engine folds or passes on at once
     * @param bulkBytes the most that it moves at once of what is not folded; small worlds have several of these
     */
    public List<CollectiveCase> severalPieces(int size, int pieceBytes, int bulkBytes) {
        List<CollectiveCase> cases = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            List<Element> fitting = ELEMENTS.stream()
                    .filter(each -> kind.reduces() == (each.op() != null))
                    .toList();
            Element element = fitting.get((size * 7 + kind.ordinal() * 11) % fitting.size());
            long most = kind.reduces() || size > MOST_RANKS_IN_BULK ? pieceBytes : bulkBytes;
            long elements = (2 * most + most / 3) / element.type().byteSize() + 1;
            long count = kind == Kind.ALL_REDUCE ? elements * Math.min(size, 4) : elements;
            boolean inPlace = !kind.hasOutput() || size % 2 == 0;
            cases.add(new CollectiveCase(kind, element.type(), element.op(), count, size - 1, inPlace));
        }
        return cases;
    }

    /** {@return a reduce of that many bytes of each type by each reduction} */
    public List<CollectiveCase> reduces(int size, long lengthBytes) {
        List<CollectiveCase> cases = new ArrayList<>();
        for (Element element : ELEMENTS) {
            if (element.op() != null
                    && (exhaustive || cases.size() % 7 == 0 || element.type().byteSize() == 2)) {
                long count = lengthBytes / element.type().byteSize() + 1;
                cases.add(new CollectiveCase(
                        Kind.REDUCE, element.type(), element.op(), count, cases.size() % size, true));
            }
        }
        return cases;
    }
}
