package io.reactivecomm.compression.reduce;

/**
 * The facts of a compressed all-reduce that has gone well.
 *
 * @param step how many of its name had gone well before
 * @param isCompressed whether elements were encoded; not in the steps of a warm-up
 * @param bytesSent what this rank sent to others of encoded elements; of a warm-up's step 0, since the all-reduce chooses how it sends
 */
public record Compressed(long step, boolean isCompressed, long bytesSent) {}
