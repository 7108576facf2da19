package io.reactivecomm.rcomm.perf;

/**
 * One measurement, with the names that the JSON has.
 *
 * <p>A peer's has the same names: {@code transport} is which one it is, such as {@code openmpi-tcp}, {@code buffers} {@code private}, and
 * {@code algorithm} how its calls were made: {@code call}, or for lists {@code in-flight} or {@code in-turn}. Its results are not checked:
 * {@code errors} is 0.
 *
 * @param op the operation
 * @param ranks how many took part
 * @param bytes the size as nccl-tests counts it
 * @param transport how they were linked
 * @param buffers where the tensors lived
 * @param dtype the element type
 * @param algorithm the schedule that ran, as the call's result tells
 * @param medianMicros the median over batches of the mean time of a round, in microseconds
 * @param minMicros the least of these means
 * @param maxMicros the greatest
 * @param algbwGBps bytes / median time, in 10⁹ bytes a second
 * @param busbwGBps algbw times the operation's bus factor
 * @param errors how many elements were wrong in the rounds that were checked, over all ranks
 */
record PerfRow(
        String op,
        int ranks,
        long bytes,
        String transport,
        String buffers,
        String dtype,
        String algorithm,
        double medianMicros,
        double minMicros,
        double maxMicros,
        double algbwGBps,
        double busbwGBps,
        long errors) {}
