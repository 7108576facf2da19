package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The checks that the operations share, each with the sentence its failure deserves. */
final class Checks {

    private Checks() {}

    static Tensor usable(Operation operation, String role, @Nullable Tensor tensor) {
        if (tensor == null) {
            throw invalid(operation, "got no " + role + ": " + role + "=null; pass a tensor on every rank");
        }
        if (tensor.isClosed()) {
            throw invalid(operation, "got a closed tensor: " + role + "=" + tensor + "; keep it open until the call has ended");
        }
        return tensor;
    }

    static void reducible(Operation operation, DType type, @Nullable Reduction op) {
        if (op == null) {
            throw invalid(operation, "got no reduction: op=null; pass one, such as ReduceOp.SUM");
        }
        if (!op.supports(type)) {
            throw new UnsupportedCollectiveException(operation.label() + " cannot reduce this type: op=" + op.label() + ", type=" + type
                    + "; see ReduceOp for what each takes, or convert the tensor");
        }
    }

    static void sameType(Operation operation, Tensor input, Tensor output) {
        if (input.type() != output.type()) {
            throw invalid(operation, "got two element types: input=" + input.type() + ", output=" + output.type() + "; use one");
        }
    }

    static void count(Operation operation, String role, Tensor tensor, long expected) {
        if (tensor.count() != expected) {
            throw invalid(operation, "got an " + role + " of the wrong size: " + role + "=" + tensor.count() + " elements, expected=" + expected
                    + "; allocate it to fit");
        }
    }

    static void root(Operation operation, int root, int size) {
        if (root < 0 || root >= size) {
            throw invalid(operation, "got a root outside the group: root=" + root + ", size=" + size + "; name a rank from 0 to " + (size - 1));
        }
    }

    static void peer(Operation operation, int peer, int rank, int size) {
        if (peer < 0 || peer >= size) {
            throw invalid(operation, "got a peer outside the group: peer=" + peer + ", size=" + size + "; name a rank from 0 to " + (size - 1));
        }
        if (peer == rank) {
            throw invalid(operation, "got this rank itself: peer=" + peer + "; copy the tensor instead");
        }
    }

    /**
     * Requires {@code part} to be either disjoint from {@code whole} or exactly its {@code count} elements from {@code from}.
     */
    static void overlap(Operation operation, Tensor whole, Tensor part, long from) {
        MemorySegment outer = whole.segment();
        MemorySegment inner = part.segment();
        if (outer.byteSize() == 0 || inner.byteSize() == 0 || outer.asOverlappingSlice(inner).isEmpty()) {
            return;
        }
        if (inner.address() != outer.address() + from * whole.type().byteSize()) {
            throw invalid(operation, "got tensors that overlap in part: " + whole + " and " + part
                    + "; pass the same memory for a call in place, or separate memory");
        }
    }

    private static InvalidCallException invalid(Operation operation, String what) {
        return new InvalidCallException(operation.label() + " " + what);
    }
}
