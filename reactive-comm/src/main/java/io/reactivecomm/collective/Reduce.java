package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import java.util.List;

/** Every rank's tensor reduced elementwise into the root's. */
public record Reduce(Tensor tensor, int root, Reduction reduction) implements Collective {

    public Reduce {
        Checks.usable(Operation.REDUCE, "tensor", tensor);
        Checks.reducible(Operation.REDUCE, tensor.type(), reduction);
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.REDUCE, tensor.type(), tensor.count(), root, reduction);
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(tensor);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(tensor);
    }

    @Override
    public List<Tensor> tensors() {
        return List.of(tensor);
    }

    @Override
    public Cuts cuts(int size) {
        Cut whole = Cut.whole(tensor.count());
        return new Cuts(whole, whole);
    }

    @Override
    public List<Tensor> results(int rank) {
        return rank == root ? outputs() : List.of();
    }

    @Override
    public Reduce checkedFor(int rank, int size) {
        Checks.root(Operation.REDUCE, root, size);
        return this;
    }
}
