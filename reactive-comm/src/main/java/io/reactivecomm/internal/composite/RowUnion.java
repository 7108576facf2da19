package io.reactivecomm.internal.composite;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.kernel.FoldKernel;
import io.reactivecomm.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The rows that any rank has, ascending, each once; and how a rank's rows find their places among them. */
final class RowUnion {

    private RowUnion() {}

    /** {@return the values ascending, each once; the array given is the scratch for that} */
    static long[] distinct(long... values) {
        Arrays.sort(values);
        int kept = 0;
        for (int i = 0; i < values.length; i++) {
            if (i == 0 || values[i] != values[i - 1]) {
                values[kept++] = values[i];
            }
        }
        return Arrays.copyOf(values, kept);
    }

    /**
     * {@return the union of what the ranks have sent}
     *
     * @param indices together no more than {@link SparseRows#MOST_ROWS}
     * @throws InvalidCallException if a rank has sent an index outside the tensor
     */
    static long[] of(List<Tensor> indices, long rows) {
        long[] all = new long[Math.toIntExact(indices.stream().mapToLong(Tensor::count).sum())];
        int filled = 0;
        for (int rank = 0; rank < indices.size(); rank++) {
            for (long index : indices.get(rank).toLongArray()) {
                requireInside(index, rank, rows);
                all[filled++] = index;
            }
        }
        return distinct(all);
    }

    private static void requireInside(long index, int rank, long rows) {
        if (index < 0 || index >= rows) {
            throw new InvalidCallException(SparseAllReduce.OPERATION + " got an index outside the tensor: fromRank=" + rank + ", index=" + index
                    + ", rows=" + rows + "; let that rank use this version of the library");
        }
    }

    /**
     * Copies a rank's rows to where they stand in the union; those that belong to one place are added up on the way.
     *
     * @param union holds all of the rank's indices
     * @param values zeroed, a row for each of the union's
     */
    static void place(SparseRows rows, long[] union, Tensor values) {
        long rowBytes = rows.rowCount() * values.type().byteSize();
        MemorySegment source = rows.tensor().values().segment();
        int[] places = Arrays.stream(rows.indices()).mapToInt(index -> Arrays.binarySearch(union, index)).toArray();
        Map<Integer, List<MemorySegment>> repeated = repeated(places, union.length);
        for (int i = 0; i < places.length; i++) {
            MemorySegment row = source.asSlice(i * rowBytes, rowBytes);
            List<MemorySegment> parts = repeated.get(places[i]);
            if (parts == null) {
                MemorySegment.copy(row, 0, values.segment(), places[i] * rowBytes, rowBytes);
            } else {
                parts.add(row);
            }
        }
        addUp(repeated, rows.rowCount(), values, rowBytes);
    }

    /** {@return an empty list for each place that occurs more than once} */
    private static Map<Integer, List<MemorySegment>> repeated(int[] places, int size) {
        BitSet taken = new BitSet(size);
        Map<Integer, List<MemorySegment>> repeated = new TreeMap<>();
        for (int place : places) {
            if (taken.get(place)) {
                repeated.put(place, new ArrayList<>());
            }
            taken.set(place);
        }
        return repeated;
    }

    /** Adds with the engine's own kernel: the same order, accumulator and rounding as in any fold. */
    private static void addUp(Map<Integer, List<MemorySegment>> repeated, long rowCount, Tensor values, long rowBytes) {
        if (repeated.isEmpty()) {
            return;
        }
        FoldKernel kernel = Kernels.of(values.type(), ReduceOp.SUM);
        repeated.forEach((place, parts) -> {
            MemorySegment[] sources = parts.toArray(MemorySegment[]::new);
            MemorySegment target = values.segment().asSlice(place * rowBytes, rowBytes);
            kernel.fold(target, sources, new boolean[sources.length], sources.length, rowCount, 1);
        });
    }
}
