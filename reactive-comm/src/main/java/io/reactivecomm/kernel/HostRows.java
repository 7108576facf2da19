package io.reactivecomm.kernel;

import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Rows of tensors in the host's memory, copied to other places. */
public final class HostRows {

    private HostRows() {}

    /**
     * Copies rows to their places; those that belong to one place are added up on the way, in their order.
     *
     * @param places for each row of {@code from} which row of {@code to} it is
     * @param rowCount the elements of a row
     */
    public static void place(Tensor from, int[] places, long rowCount, Tensor to) {
        long rowBytes = rowCount * to.type().byteSize();
        MemorySegment source = from.segment();
        MemorySegment target = to.segment();
        Map<Integer, List<MemorySegment>> repeated = repeated(places);
        for (int i = 0; i < places.length; i++) {
            MemorySegment row = source.asSlice(i * rowBytes, rowBytes);
            List<MemorySegment> parts = repeated.get(places[i]);
            if (parts == null) {
                MemorySegment.copy(row, 0, target, places[i] * rowBytes, rowBytes);
            } else {
                parts.add(row);
            }
        }
        addUp(repeated, rowCount, to, rowBytes);
    }

    /** {@return an empty list for each place that occurs more than once} */
    private static Map<Integer, List<MemorySegment>> repeated(int[] places) {
        BitSet taken = new BitSet();
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
    private static void addUp(Map<Integer, List<MemorySegment>> repeated, long rowCount, Tensor to, long rowBytes) {
        if (repeated.isEmpty()) {
            return;
        }
        FoldKernel kernel = Kernels.of(to.type(), ReduceOp.SUM);
        repeated.forEach((place, parts) -> {
            MemorySegment[] sources = parts.toArray(MemorySegment[]::new);
            MemorySegment target = to.segment().asSlice(place * rowBytes, rowBytes);
            kernel.fold(target, sources, new boolean[sources.length], sources.length, rowCount, 1);
        });
    }
}
