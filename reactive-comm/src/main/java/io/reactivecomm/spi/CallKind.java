package io.reactivecomm.spi;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Signature;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kind of a call, by which an engine says whether it performs it: nothing in it differs between ranks that make the same call, so they all give it
 * to the same engine.
 *
 * @param reduction null where nothing is reduced
 * @param isEven whether all ranks have parts of one length
 */
public record CallKind(Operation operation, DType type, @Nullable Reduction reduction, boolean isEven) {

    /** {@return those of a call: of a scope, its members'} */
    public static List<CallKind> of(Collective call) {
        List<Collective> calls = call instanceof Coalesced scope ? scope.members() : List.of(call);
        return calls.stream().map(CallKind::ofOne).toList();
    }

    private static CallKind ofOne(Collective call) {
        Signature signature = call.signature();
        return new CallKind(call.operation(), signature.type(), call.reduction(), signature.isEven());
    }

    /** {@return it in a reader's words, such as {@code all-reduce(FLOAT32, SUM)}} */
    public String describe() {
        return operation.label() + "(" + type + (reduction == null ? "" : ", " + reduction.label()) + (isEven ? "" : ", uneven") + ")";
    }
}
