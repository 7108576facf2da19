package io.reactivecomm.nccl;

import io.reactivecomm.PreMulSum;
import io.reactivecomm.Reduction;
import io.reactivecomm.spi.CallKind;
import org.jspecify.annotations.Nullable;

/** The kinds of calls that NCCL does not perform. */
final class NcclRefusals {

    private NcclRefusals() {}

    /** {@return why calls of that kind are not performed, or null if they are} */
    static @Nullable String of(CallKind kind, NcclDialect dialect, Abilities abilities) {
        return switch (kind.operation()) {
            case BARRIER, MONITORED_BARRIER, NEW_GROUP -> dialect.label() + " has no such call";
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, REDUCE_SCATTER -> toReduce(kind, dialect, abilities);
            case BROADCAST, ALL_GATHER, ALL_TO_ALL, GATHER, SCATTER, MESSAGE, COALESCED -> null;
        };
    }

    private static @Nullable String toReduce(CallKind kind, NcclDialect dialect, Abilities abilities) {
        Reduction reduction = kind.reduction();
        if (reduction == null || !NcclOperation.isSupported(reduction, kind.type(), dialect)) {
            return dialect.label() + " has no " + (reduction == null ? "reduction" : reduction.label()) + " of "
                    + kind.type();
        }
        if (reduction instanceof PreMulSum && !abilities.multiplies()) {
            return "a library of " + dialect.label() + " is too old for sums that multiply first";
        }
        return null;
    }
}
