package io.reactivecomm.internal.composite;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import java.util.Arrays;
import java.util.List;

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
        long[] all = new long
                [Math.toIntExact(indices.stream().mapToLong(Tensor::count).sum())];
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
            throw new InvalidCallException(SparseAllReduce.OPERATION + " got an index outside the tensor: fromRank="
                    + rank + ", index=" + index + ", rows=" + rows + "; let that rank use this version of the library");
        }
    }

    /** {@return where in the union each of a rank's indices stands} */
    static int[] places(long[] indices, long[] union) {
        return Arrays.stream(indices)
                .mapToInt(index -> Arrays.binarySearch(union, index))
                .toArray();
    }
}
