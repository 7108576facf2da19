package io.reactivecomm.engine;

import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The memory of a call's tensors as one row of elements, one tensor after the other. Immutable. */
public final class Row {

    /** No element. */
    static final Row NONE = new Row(new MemorySegment[0], new long[] {0});

    private final MemorySegment[] memories;
    /** Where each tensor begins, in elements, and where the last one ends. */
    private final long[] bounds;

    private Row(MemorySegment[] memories, long[] bounds) {
        this.memories = memories;
        this.bounds = bounds;
    }

    /** {@return the row of the tensors in that order} */
    public static Row of(List<Tensor> tensors) {
        MemorySegment[] memories = new MemorySegment[tensors.size()];
        long[] bounds = new long[tensors.size() + 1];
        for (int i = 0; i < memories.length; i++) {
            memories[i] = tensors.get(i).segment();
            bounds[i + 1] = bounds[i] + tensors.get(i).count();
        }
        return new Row(memories, bounds);
    }

    /** {@return the row of one memory of so many elements} */
    static Row of(MemorySegment memory, long count) {
        return new Row(new MemorySegment[] {memory}, new long[] {0, count});
    }

    /** {@return how many elements from that one on are in one tensor, at most so many} */
    long together(long from, long most) {
        long here = bounds[tensorOf(from) + 1] - from;
        if (here <= 0) {
            throw new IllegalStateException("a row has no such element: element=" + from + ", elements=" + bounds[memories.length]);
        }
        return Math.min(most, here);
    }

    /** {@return the memory of so many elements from that one on, which are in one tensor} */
    MemorySegment slice(long from, long count, int elementBytes) {
        if (from == 0 && count == bounds[1]) {
            return memories[0];
        }
        int tensor = tensorOf(from);
        if (from + count > bounds[tensor + 1]) {
            throw new IllegalStateException("elements are in more than one tensor: from=" + from + ", count=" + count);
        }
        return memories[tensor].asSlice((from - bounds[tensor]) * elementBytes, count * elementBytes);
    }

    /** {@return the last tensor that begins at that element or before; those without elements end where the next begins} */
    private int tensorOf(long element) {
        int low = 0;
        int high = memories.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (bounds[middle] <= element) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
