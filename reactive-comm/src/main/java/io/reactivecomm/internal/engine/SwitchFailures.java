package io.reactivecomm.internal.engine;

import io.reactivecomm.Operation;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.Collection;
import java.util.EnumSet;
import java.util.stream.Collectors;

/**
 * The failures of calls that are switched off on some ranks only. A rank on which the call is off names its switches, and each rank that waits for the call adds
 * its own.
 */
public final class SwitchFailures {

    private static final String WHAT = "ranks made a call with different operations switched off: call=";
    private static final String REMEDY = "; let all ranks switch operations between the same calls";

    private SwitchFailures() {}

    /** {@return the failure, as the rank states it on which the call is off} */
    public static Failure difference(CallKey call, int rank, Collection<Operation> off) {
        return new Failure(Failure.Kind.MISMATCH, rank, WHAT + call.label() + ", " + state(rank, off) + REMEDY);
    }

    /** {@return a failure as the rank hears it that waited for the call} Others are returned as they are. */
    public static Failure withOwn(Failure failure, int rank, Collection<Operation> off) {
        if (!isDifference(failure) || failure.text().contains("rank " + rank + " has off=")) {
            return failure;
        }
        return failure.withText(failure.text().replace(REMEDY, ", " + state(rank, off) + REMEDY));
    }

    private static String state(int rank, Collection<Operation> off) {
        return "rank " + rank + " has off=[" + labels(off) + "]";
    }

    /** {@return the names of operations, in one order} */
    public static String labels(Collection<Operation> operations) {
        EnumSet<Operation> ordered = EnumSet.noneOf(Operation.class);
        ordered.addAll(operations);
        return ordered.stream().map(Operation::label).collect(Collectors.joining(", "));
    }

    /** {@return whether a call failed because it was off on some ranks} */
    public static boolean isDifference(Failure failure) {
        return failure.kind() == Failure.Kind.MISMATCH && failure.text().contains(WHAT);
    }
}
