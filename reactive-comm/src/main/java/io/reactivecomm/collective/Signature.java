package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The values that all ranks of a call must agree on; they cross every edge of the call's schedule in both directions.
 *
 * @param operation what is done
 * @param type the element type
 * @param count elements, as the operation counts them: of the tensor for all-reduce, reduce, broadcast and messages; of one rank's part
 *     for all-gather and reduce-scatter; of all parts for all-to-all; 0 for a barrier; {@link #UNEVEN} where parts differ or only pairs of
 *     ranks agree
 * @param root the root in the group, or {@link #NO_ROOT}
 * @param reduction the {@link Reduction#label()}, or null where nothing is reduced
 * @param partition the {@link Partition#fingerprint()} of what all ranks must cut alike, or 0
 */
public record Signature(
        Operation operation,
        DType type,
        long count,
        int root,
        @Nullable String reduction,
        long partition) {

    /** The {@link #root()} of an operation that has none. */
    public static final int NO_ROOT = -1;

    /** The {@link #count()} of parts that differ. */
    public static final long UNEVEN = -1;

    /** Of a call whose ranks cut nothing. */
    public Signature(Operation operation, DType type, long count, int root, @Nullable Reduction op) {
        this(operation, type, count, root, op == null ? null : op.label(), 0);
    }

    /*
     * By hand: signatures are compared at each edge of each call, and what a record has of its own runs through method handles, slow until compiled.
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return other == this
                || other instanceof Signature signature
                        && signature.count == count
                        && signature.root == root
                        && signature.partition == partition
                        && signature.operation == operation
                        && signature.type == type
                        && Objects.equals(signature.reduction, reduction);
    }

    @Override
    public int hashCode() {
        int hash = 31 * operation.ordinal() + type.ordinal();
        hash = 31 * hash + Long.hashCode(count);
        hash = 31 * hash + root;
        hash = 31 * hash + (reduction == null ? 0 : reduction.hashCode());
        return 31 * hash + Long.hashCode(partition);
    }

    /** {@return whether every rank's part follows from this alone} */
    public boolean isEven() {
        return count != UNEVEN && partition == 0;
    }

    /** {@return the call in a reader's words, such as {@code all-reduce(FLOAT32 × 5, SUM)}} */
    public String describe() {
        return describe(count == UNEVEN ? "…" : Long.toString(count));
    }

    /** {@return the same, with the elements as the call knows them} */
    String describe(String elements) {
        return switch (operation) {
            case BARRIER, MONITORED_BARRIER, NEW_GROUP, COALESCED -> operation.label() + "()";
            case ALL_REDUCE,
                    INFERENCE_ALL_REDUCE,
                    REDUCE,
                    BROADCAST,
                    ALL_GATHER,
                    REDUCE_SCATTER,
                    ALL_TO_ALL,
                    GATHER,
                    SCATTER,
                    MESSAGE ->
                operation.label() + "(" + type + " × " + elements
                        + (reduction == null ? "" : ", " + reduction)
                        + (root == NO_ROOT ? "" : ", root=" + root)
                        + ")";
        };
    }
}
