package io.reactivecomm.nccl;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;

/**
 * The reductions that NCCL knows, with its numbers. A {@link PreMulSum} has a number of its own, from {@link NcclCalls#createPreMulSum}.
 *
 * <p><b>Source.</b> NCCL's {@code nccl.h}: {@code ncclRedOp_t}.
 */
enum NcclOperation {
    SUM,
    PRODUCT,
    MAX,
    MIN,
    AVG;

    /** {@return NCCL's number of it} */
    int code() {
        return ordinal();
    }

    /**
     * {@return whether NCCL can do that reduction of that type}
     *
     * <p>It has no bitwise operations. Of BOOL any byte but 0 is true, and a reduction writes 0 or 1; NCCL would write the least or the greatest
     * byte, so it has no arithmetic for BOOL.
     */
    static boolean isSupported(Reduction reduction, DType type, NcclDialect dialect) {
        if (!reduction.supports(type) || type.family() == DType.Family.BOOLEAN) {
            return false;
        }
        return switch (reduction) {
            case ReduceOp op ->
                switch (op) {
                    case SUM, PRODUCT, MIN, MAX -> true;
                    case AVG -> dialect.averages();
                    case BAND, BOR, BXOR -> false;
                };
            case PreMulSum ignored -> true;
            case CustomReduction ignored -> false;
        };
    }

    /**
     * {@return the operation}
     *
     * @throws IllegalArgumentException if NCCL has none of that kind
     */
    static NcclOperation of(ReduceOp op) {
        return switch (op) {
            case SUM -> SUM;
            case PRODUCT -> PRODUCT;
            case MIN -> MIN;
            case MAX -> MAX;
            case AVG -> AVG;
            case BAND, BOR, BXOR ->
                throw new IllegalArgumentException("NCCL has no bitwise operations: operation=" + op);
        };
    }
}
