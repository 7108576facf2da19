package io.reactivecomm.internal.group;

import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes that a call in flight writes no more. Those that follow each other are one range, as long as they come in that order.
 *
 * <p><b>Threads.</b> Any.
 */
final class FinalRanges {

    private record Range(long from, long to) {}

    private final List<Range> ranges = new ArrayList<>();

    /** Adds a tensor's. */
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

    /** {@return whether all bytes of a range are among them} */
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
