package io.reactivecomm.rcomm.gpu.check;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The nanoseconds of one round of messages to self.
 *
 * @param groupedIssued until the host had issued all in one group
 * @param groupedDone until the device had done them
 * @param singleIssued until the host had issued each pair in a group of its own
 * @param singleDone until the device had done them
 */
record PairTimes(long groupedIssued, long groupedDone, long singleIssued, long singleDone) {

    /**
     * {@return the times in a line of the program in C}
     *
     * @throws IllegalStateException if there are no four numbers
     */
    static PairTimes of(String line) {
        try {
            long[] all = Arrays.stream(line.strip().split(" "))
                    .mapToLong(Long::parseLong)
                    .toArray();
            return new PairTimes(all[0], all[1], all[2], all[3]);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalStateException("the program in C says something else than four times: line=" + line, e);
        }
    }

    /** {@return the median of one of the times} */
    static double median(List<PairTimes> rounds, ToLongFunction<PairTimes> time) {
        return Median.of(rounds.stream().mapToLong(time));
    }
}
