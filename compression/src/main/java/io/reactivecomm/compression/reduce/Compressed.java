package io.reactivecomm.compression.reduce;

/**
 * The facts of a compressed all-reduce that has gone well.
 *
 * @param step how many of its name had gone well before
 * @param isCompressed whether elements were encoded; not in the steps of a warm-up
 * @param bytesSent what this rank sent to others of encoded elements; 0 where all-reduces take them, in a warm-up and in PowerSGD, since those choose how they send
 */
public record Compressed(long step, boolean isCompressed, long bytesSent) {}
