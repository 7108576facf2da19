package io.reactivecomm.kernel;

/**
 * One reduction on arrays of numbers, as plain loops that C2 vectorises.
 *
 * @param <A> the array that holds the numbers
 */
interface Arithmetic<A> {

    /** Readies the first {@code n} elements to be combined, as they come from a rank; partial results are ready. */
    default void prepare(A elements, int n) {}

    /** Does {@code accumulated[i] = accumulated[i] op operand[i]} for the first {@code n}. */
    void combine(A accumulated, A operand, int n);

    /** Ends the fold of the first {@code n}: AVG, which only floating-point types take, divides by the divisor. */
    default void finish(A accumulated, int divisor, int n) {}
}
