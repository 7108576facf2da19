package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import java.util.List;

/** Every rank's tensor reduced elementwise into the root's. */
public record Reduce(Tensor tensor, int root, Reduction reduction) implements OneTensor {

    public Reduce {
        Checks.usable(Operation.REDUCE, "tensor", tensor);
        Checks.reducible(Operation.REDUCE, tensor.type(), reduction);
    }

    @Override
    public Operation operation() {
        return Operation.REDUCE;
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.REDUCE, tensor.type(), tensor.count(), root, reduction);
    }

    @Override
    public List<Tensor> results(int rank) {
        return rank == root ? outputs() : List.of();
    }

    @Override
    public List<Tensor> reads(int rank) {
        return rank != root ? inputs() : List.of();
    }

    @Override
    public List<Tensor> writes(int rank) {
        return rank != root ? List.of() : outputs();
    }

    @Override
    public Reduce checkedFor(int rank, int size) {
        Checks.root(Operation.REDUCE, root, size);
        return this;
    }
}
