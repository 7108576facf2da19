package io.reactivecomm.mpi;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.spi.CallKind;
import org.jspecify.annotations.Nullable;

/** The kinds of calls that are left to links: what MPI does not have, and what it leaves open where a difference would be a wrong result. */
final class Refusals {

    private Refusals() {}

    /** {@return why calls of that kind go to links, or null if MPI performs them} */
    static @Nullable String of(CallKind kind) {
        return switch (kind.operation()) {
            case MONITORED_BARRIER, NEW_GROUP -> "MPI has no such call";
            case BARRIER -> "MPI does not tell who is late for it";
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, REDUCE_SCATTER -> toReduce(kind);
            case BROADCAST, ALL_GATHER, ALL_TO_ALL, GATHER, SCATTER, MESSAGE, COALESCED -> null;
        };
    }

    private static @Nullable String toReduce(CallKind kind) {
        if (kind.reduction() instanceof CustomReduction) {
            return "MPI does not know the caller's own reductions";
        }
        if (kind.type() == DType.FLOAT16 || kind.type() == DType.BFLOAT16) {
            return "MPI has no arithmetic for " + kind.type();
        }
        boolean mayOverflow = kind.reduction() == ReduceOp.SUM || kind.reduction() == ReduceOp.PRODUCT;
        if (mayOverflow && kind.type().byteSize() == 1) {
            return "MPI leaves open what " + kind.reduction() + " is beyond the range of " + kind.type()
                    + ", and Open MPI does not wrap around";
        }
        if (kind.reduction() != ReduceOp.MIN && kind.reduction() != ReduceOp.MAX) {
            return null;
        }
        return switch (kind.type().family()) {
            case FLOAT -> "MPI leaves open what " + kind.reduction() + " is of NaN and of zeros with different signs";
            case UNSIGNED -> "MPICH 4.0 compares unsigned numbers as if they were signed";
            case SIGNED, BOOLEAN, OPAQUE -> null;
        };
    }
}
