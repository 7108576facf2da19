package io.reactivecomm.internal.transfer;

import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The memory of a call's tensors as one row of elements, one tensor after the other. Immutable. */
public final class TensorRow {

    private static final MemorySegment[] NO_MEMORIES = {};
    private static final long[] NO_BOUNDS = {};

    /** No element. */
    static final TensorRow NONE = of(MemorySegment.NULL, 0);

    private final MemorySegment first;
    /** The elements of the first tensor. */
    private final long firstCount;
    /** All tensors; none if there is only the first, as with nearly all small calls. */
    private final MemorySegment[] memories;
    /** Where each tensor begins, in elements, and where the last one ends. */
    private final long[] bounds;

    private TensorRow(MemorySegment first, long firstCount, MemorySegment[] memories, long[] bounds) {
        this.first = first;
        this.firstCount = firstCount;
        this.memories = memories;
        this.bounds = bounds;
    }

    /** {@return the row of the tensors in that order} */
    public static TensorRow of(List<Tensor> tensors) {
        int size = tensors.size();
        MemorySegment[] memories = size <= 1 ? NO_MEMORIES : new MemorySegment[size];
        long[] bounds = size <= 1 ? NO_BOUNDS : new long[size + 1];
        for (int i = 0; i < memories.length; i++) {
            memories[i] = tensors.get(i).segment();
            bounds[i + 1] = bounds[i] + tensors.get(i).count();
        }
        MemorySegment first =
                size == 0 ? MemorySegment.NULL : tensors.getFirst().segment();
        return new TensorRow(first, size == 0 ? 0 : tensors.getFirst().count(), memories, bounds);
    }

    /** {@return the row of one memory of so many elements} */
    static TensorRow of(MemorySegment memory, long count) {
        return new TensorRow(memory, count, NO_MEMORIES, NO_BOUNDS);
    }

    /** {@return its elements} */
    long count() {
        return memories.length == 0 ? firstCount : bounds[memories.length];
    }

    /** {@return how many elements from that one on are in one tensor, at most so many} */
    long together(long from, long most) {
        long here = (from < firstCount || memories.length == 0 ? firstCount : bounds[tensorOf(from) + 1]) - from;
        if (here <= 0) {
            throw new IllegalStateException("a row has no such element: element=" + from + ", elements=" + count());
        }
        return Math.min(most, here);
    }

    /** {@return the memory of so many elements from that one on, which are in one tensor} */
    MemorySegment slice(long from, long count, int elementBytes) {
        if (from == 0 && count == firstCount) {
            return first;
        }
        if (memories.length == 0) {
            return first.asSlice(from * elementBytes, count * elementBytes);
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
