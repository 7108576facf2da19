package io.reactivecomm.compression.reduce;

/**
 * The facts of a compressed call that has gone well.
 *
 * @param step how many of its name had gone well before; 0 of a call that keeps no state, or that is switched off and does nothing
 * @param isCompressed whether elements were encoded; not in the steps of a warm-up, nor of a tensor that is better off without
 * @param bytesSent what this rank sent to others of encoded elements; 0 where all-reduces take them, in a warm-up and in PowerSGD, since those choose how they send
 */
public record Compressed(long step, boolean isCompressed, long bytesSent) {}
