package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a tensor, as far as a call uses it.
 *
 * @param owner who uses it: uses of one owner may overlap
 */
record TensorUse(Tensor tensor, boolean isWritten, int owner, long from, long to) {

    TensorUse(Tensor tensor, boolean isWritten, int owner) {
        this(tensor, isWritten, owner, tensor.address(), tensor.address() + tensor.byteSize());
    }

    /**
     * Requires that nobody writes what another reads or writes. It sweeps over the memory: of those before, the ones that reach furthest are
     * all that a later one can meet.
     */
    static void requireApart(Operation operation, List<TensorUse> extents) {
        extents.sort(Comparator.comparingLong(TensorUse::from));
        Reach any = new Reach();
        Reach written = new Reach();
        for (TensorUse next : extents) {
            if (next.from == next.to) {
                continue;
            }
            TensorUse met = next.isWritten ? any.ofOthers(next.owner) : written.ofOthers(next.owner);
            if (met != null && next.from < met.to) {
                throw Checks.invalid(
                        operation,
                        "got tensors that overlap: first=" + met.described(operation) + ", second="
                                + next.described(operation) + "; "
                                + remedy(operation, !met.isWritten || !next.isWritten));
            }
            any.add(next);
            if (next.isWritten) {
                written.add(next);
            }
        }
    }

    private String described(Operation operation) {
        return tensor
                + (operation == Operation.COALESCED
                        ? " of call " + (owner + 1) + " in the scope"
                        : isWritten ? " (output)" : " (input)");
    }

    /** @param hasInput whether one of the two is an input, which the other may be equal to in a call in place */
    private static String remedy(Operation operation, boolean hasInput) {
        String apart = switch (operation) {
            case COALESCED -> "give each call in the scope memory of its own, or make one of the two after the scope";
            case ALL_TO_ALL -> "give each tensor memory of its own: this operation does not work in place";
            case ALL_REDUCE,
                    INFERENCE_ALL_REDUCE,
                    REDUCE,
                    BROADCAST,
                    ALL_GATHER,
                    REDUCE_SCATTER,
                    GATHER,
                    SCATTER,
                    BARRIER,
                    MONITORED_BARRIER,
                    MESSAGE,
                    NEW_GROUP -> "give each tensor memory of its own";
        };
        String inPlace = switch (operation) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE -> ", or pass the output as input, too, for a call in place";
            case ALL_GATHER, GATHER ->
                ", or let the input be this rank's own part of the output, exactly, for a call in place";
            case REDUCE_SCATTER, SCATTER ->
                ", or let the output be this rank's own part of the input, exactly, for a call in place";
            case REDUCE, BROADCAST, ALL_TO_ALL, BARRIER, MONITORED_BARRIER, MESSAGE, NEW_GROUP, COALESCED -> "";
        };
        return apart + (hasInput ? inPlace : "");
    }

    /** The tensor that reaches furthest, and the one of another owner that does. */
    private static final class Reach {

        private @Nullable TensorUse first;
        private @Nullable TensorUse second;

        private @Nullable TensorUse ofOthers(int owner) {
            return first != null && first.owner == owner ? second : first;
        }

        private void add(TensorUse next) {
            if (first == null || next.to > first.to) {
                second = first != null && first.owner != next.owner ? first : second;
                first = next;
            } else if (first.owner != next.owner && (second == null || next.to > second.to)) {
                second = next;
            }
        }
    }
}
