package io.reactivecomm.train;

/**
 * The outcome of a step that succeeded on this rank.
 *
 * @param step the step's number, from 0
 * @param produced the number of gradients that this rank's backward pass produced
 * @param results the number of gradients that came out of the last hook. It exceeds {@code produced} where other ranks had gradients that this rank lacked; it
 *     is less where hooks dropped some
 */
public record StepEnd(long step, long produced, long results) {}
