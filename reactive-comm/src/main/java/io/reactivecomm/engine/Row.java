package io.reactivecomm.engine;

import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The memory of a call's tensors as one row of elements, one tensor after the other. Immutable. */
public final class Row {

    /** No tensor. */
    public static final Row NONE = new Row(new MemorySegment[0], new long[] {0});

    private final MemorySegment[] memories;
    /** Where each tensor begins, in elements, and where the last one ends. */
    private final long[] bounds;

    private Row(MemorySegment[] memories, long[] bounds) {
        this.memories = memories;
        this.bounds = bounds;
    }

    public static Row of(List<Tensor> tensors) {
        if (tensors.isEmpty()) {
            return NONE;
        }
        MemorySegment[] memories = new MemorySegment[tensors.size()];
        long[] bounds = new long[tensors.size() + 1];
        for (int i = 0; i < memories.length; i++) {
            memories[i] = tensors.get(i).segment();
            bounds[i + 1] = bounds[i] + tensors.get(i).count();
        }
        return new Row(memories, bounds);
    }

    /** {@return so many elements from that one on; they are in one tensor} */
    MemorySegment slice(long from, long count, int elementBytes) {
        int tensor = tensorOf(from, count);
        return memories[tensor].asSlice((from - bounds[tensor]) * elementBytes, count * elementBytes);
    }

    private int tensorOf(long from, long count) {
        int low = 0;
        int high = memories.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (bounds[middle] <= from) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (from + count > bounds[low + 1]) {
            throw new IllegalStateException("a span crosses from one tensor into the next: from=" + from + ", count=" + count);
        }
        return low;
    }
}
