package io.reactivecomm.internal.observe;

import java.util.List;
import java.util.OptionalLong;

/**
 * The calls that are under way on a rank at one moment, whether or not anybody observed their beginning.
 *
 * @param count how many there are
 * @param oldest some of them, the oldest first; those of other engines behind them
 * @param lost world ranks that this rank has lost
 * @param failure why the world's group has failed, or empty
 */
public record InFlight(int count, List<Waiting> oldest, List<Integer> lost, String failure) {

    /**
     * A call under way.
     *
     * @param group the group's number
     * @param label as in messages
     * @param nanos since when, if that is known
     * @param late world ranks that have not made it, as far as this rank knows. Of a call of another engine nothing is known, and nobody is late for a
     *     receive from any rank, or for a message that may wait for ever
     */
    public record Waiting(
            long group,
            int groupSize,
            String label,
            String operation,
            String backend,
            long byteSize,
            OptionalLong nanos,
            List<Integer> late) {}
}
