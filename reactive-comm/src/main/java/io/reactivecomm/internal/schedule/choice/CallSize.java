package io.reactivecomm.internal.schedule.choice;

import io.reactivecomm.Operation;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.Layout;

/**
 * The size of a call, as the table of algorithms looks at it: what all its ranks know.
 *
 * @param bytes as nccl-tests counts them, or −1 where the ranks do not know them of each other
 * @param layout the group's ranks and their hosts
 * @param widening how many times as long as an element a partial result is: 2 for reductions of 16-bit floats, else 1
 */
record CallSize(long bytes, Layout layout, int widening) {

    private static final long UNKNOWN = -1;

    static CallSize of(Signature signature, Layout layout) {
        int widening = signature.reduction() == null
                ? 1
                : signature.type().accumulator().byteSize() / signature.type().byteSize();
        return new CallSize(bytes(signature, layout.size()), layout, widening);
    }

    private static long bytes(Signature signature, int size) {
        if (signature.count() == Signature.UNEVEN) {
            return UNKNOWN;
        }
        boolean countsOnePart =
                signature.operation() == Operation.ALL_GATHER || signature.operation() == Operation.REDUCE_SCATTER;
        return signature.count() * signature.type().byteSize() * (countsOnePart ? size : 1);
    }

    int ranks() {
        return layout.size();
    }
}
