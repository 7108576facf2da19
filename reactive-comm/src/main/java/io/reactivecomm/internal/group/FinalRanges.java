package io.reactivecomm.internal.group;

import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes that a call in flight has finished writing. Adjacent ranges that are added in order are merged.
 *
 * <p><b>Threads.</b> Any.
 */
final class FinalRanges {

    private record Range(long from, long to) {}

    private final List<Range> ranges = new ArrayList<>();

    /** Adds the bytes of a tensor. */
    synchronized void add(Tensor tensor) {
        long from = tensor.address();
        long to = from + tensor.byteSize();
        int last = ranges.size() - 1;
        if (last >= 0 && ranges.get(last).to == from) {
            ranges.set(last, new Range(ranges.get(last).from, to));
        } else {
            ranges.add(new Range(from, to));
        }
    }

    /** {@return whether all bytes of a range are final} */
    synchronized boolean contain(long from, long to) {
        long known = from;
        boolean isFurther = true;
        while (known < to && isFurther) {
            isFurther = false;
            for (Range each : ranges) {
                if (each.from <= known && each.to > known) {
                    known = each.to;
                    isFurther = true;
                }
            }
        }
        return known >= to;
    }
}
