package io.reactivecomm.timeline;

import java.util.Arrays;

/**
 * The lanes of one track, each of which holds one call at a time: calls that overlap lie one below the other. Owned by the writer.
 *
 * <pre>
 *   lane 0   ├── call 0 ──┤  ├─ call 2 ─┤
 *   lane 1        ├── call 1 ──┤
 * </pre>
 */
final class Lanes {

    private static final long BUSY = Long.MAX_VALUE;

    /** Until when each is taken. */
    private long[] until = {};

    /** {@return the first that is free from then on, which is taken now; {@link #count()} as it was before if it is a new one} */
    int take(long from) {
        for (int lane = 0; lane < until.length; lane++) {
            // A call may be told of after one that ended later than this one began.
            if (until[lane] != BUSY && until[lane] - from <= 0) {
                until[lane] = BUSY;
                return lane;
            }
        }
        until = Arrays.copyOf(until, until.length + 1);
        until[until.length - 1] = BUSY;
        return until.length - 1;
    }

    int count() {
        return until.length;
    }

    /** Gives one back. */
    void free(int lane, long at) {
        until[lane] = at;
    }
}
