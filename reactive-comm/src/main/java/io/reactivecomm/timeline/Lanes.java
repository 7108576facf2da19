package io.reactivecomm.timeline;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The lanes of one track, each of which holds one call at a time: calls that overlap lie one below the other. Owned by the writer.
 *
 * <pre>
 *   lane 0   ├── call 0 ──┤  ├─ call 2 ─┤
 *   lane 1        ├── call 1 ──┤
 * </pre>
 */
final class Lanes {

    private final PriorityQueue<Integer> free = new PriorityQueue<>();
    /** Until when each was taken. */
    private long[] until = new long[1];

    private int count;

    /** {@return the first that is free from then on, which is taken now; {@link #count()} as it was before if it is a new one} */
    int take(long from) {
        List<Integer> tooLate = new ArrayList<>(0);
        Integer lane = free.poll();
        // A call may be told of after one that ended later than this one began.
        for (; lane != null && until[lane] - from > 0; lane = free.poll()) {
            tooLate.add(lane);
        }
        free.addAll(tooLate);
        return lane == null ? add() : lane;
    }

    private int add() {
        if (count == until.length) {
            until = Arrays.copyOf(until, 2 * count);
        }
        return count++;
    }

    int count() {
        return count;
    }

    /** Gives one back. */
    void free(int lane, long at) {
        until[lane] = at;
        free.add(lane);
    }
}
