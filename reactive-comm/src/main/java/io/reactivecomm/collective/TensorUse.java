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
                throw Checks.invalid(operation, "got tensors that overlap: first=" + met.tensor + ", second=" + next.tensor
                        + "; pass the same memory for a call in place, or separate memory");
            }
            any.add(next);
            if (next.isWritten) {
                written.add(next);
            }
        }
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
