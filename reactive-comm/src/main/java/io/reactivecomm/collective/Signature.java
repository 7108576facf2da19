package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.Reduction;
import org.jspecify.annotations.Nullable;

/**
 * What all ranks of a call must agree on; it crosses every edge of the call's schedule in both directions.
 *
 * @param operation what is done
 * @param type the element type
 * @param count elements, as the operation counts them: of the tensor for all-reduce, reduce, broadcast and messages; of one rank's part
 *     for all-gather and reduce-scatter; 0 for a barrier
 * @param root the root in the group, or {@link #NO_ROOT}
 * @param op the reduction, or null where nothing is reduced
 */
public record Signature(Operation operation, DType type, long count, int root, @Nullable Reduction op) {

    /** The {@link #root()} of an operation that has none. */
    public static final int NO_ROOT = -1;

    /** {@return the call in a reader's words, such as {@code all-reduce(FLOAT32 × 5, SUM)}} */
    public String describe() {
        if (operation == Operation.BARRIER) {
            return "barrier()";
        }
        return operation.label() + "(" + type + " × " + count
                + (op == null ? "" : ", " + op.label())
                + (root == NO_ROOT ? "" : ", root=" + root)
                + ")";
    }
}
