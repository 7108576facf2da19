package io.reactivecomm.spi;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Signature;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kind of a call, by which an engine says whether it performs it: nothing in it differs between ranks that make the same call, so they all give it
 * to the same engine. Of scopes the collectives are the same; whether there are messages, too, ranks see to where an engine refuses these.
 *
 * @param reduction null where nothing is reduced
 * @param isEven whether all ranks have parts of one length
 */
public record CallKind(
        Operation operation, DType type, @Nullable Reduction reduction, boolean isEven) {

    /** Of messages in scopes, whatever their types: those differ between ranks, and who moves bytes moves all. */
    private static final CallKind SCOPE_MESSAGE = new CallKind(Operation.MESSAGE, DType.UINT8, null, true);

    /** {@return those of a call: of a scope, its collectives', and that of messages of bytes if it has any messages} */
    public static List<CallKind> of(Collective call) {
        List<CallKind> kinds = new ArrayList<>();
        if (call instanceof Coalesced scope) {
            scope.members().forEach(member -> kinds.add(ofOne(member)));
            if (!scope.messages().isEmpty()) {
                kinds.add(SCOPE_MESSAGE);
            }
        } else {
            kinds.add(ofOne(call));
        }
        return kinds;
    }

    private static CallKind ofOne(Collective call) {
        Signature signature = call.signature();
        return new CallKind(call.operation(), signature.type(), call.reduction(), signature.isEven());
    }

    /** {@return it in a reader's words, such as {@code all-reduce(FLOAT32, SUM)}} */
    public String describe() {
        return operation.label() + "(" + type + (reduction == null ? "" : ", " + reduction.label())
                + (isEven ? "" : ", uneven") + ")";
    }
}
