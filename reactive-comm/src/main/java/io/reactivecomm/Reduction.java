package io.reactivecomm;

/**
 * The way in which a collective combines the ranks' elements.
 *
 * <p>On the links engine elements are folded from the left in group-rank order with one rounding a step, so every rank, every run
 * and every algorithm yields the same bits. Only which of the many patterns of a NaN a result has is left open, as in Java.
 */
public sealed interface Reduction permits ReduceOp, PreMulSum, CustomReduction {

    /** {@return whether this reduction is defined for elements of that type} */
    boolean supports(DType type);

    /** {@return the name shown in messages, such as {@code SUM}, on which all ranks must agree; at most 255 bytes of UTF-8} */
    String label();
}
