package io.reactivecomm.collective;

import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;

/** Every rank's tensor reduced elementwise into the root's. */
public record Reduce(Tensor tensor, int root, Reduction op) implements Collective {

    public Reduce {
        Checks.usable(Operation.REDUCE, "tensor", tensor);
        Checks.reducible(Operation.REDUCE, tensor.type(), op);
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.REDUCE, tensor.type(), tensor.count(), root, op);
    }

    @Override
    public Tensor input() {
        return tensor;
    }

    @Override
    public Tensor output() {
        return tensor;
    }

    @Override
    public Reduce checkedFor(int rank, int size) {
        Checks.root(Operation.REDUCE, root, size);
        return this;
    }
}
