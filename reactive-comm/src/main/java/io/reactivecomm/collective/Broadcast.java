package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.List;

/** The root's tensor copied into every rank's. */
public record Broadcast(Tensor tensor, int root) implements OneTensor {

    public Broadcast {
        Checks.usable(Operation.BROADCAST, "tensor", tensor);
    }

    @Override
    public Operation operation() {
        return Operation.BROADCAST;
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.BROADCAST, tensor.type(), tensor.count(), root, null);
    }

    @Override
    public List<Tensor> sources(int rank) {
        return rank == root ? inputs() : List.of();
    }

    @Override
    public List<Tensor> reads(int rank) {
        return sources(rank);
    }

    @Override
    public List<Tensor> writes(int rank) {
        return rank == root ? List.of() : outputs();
    }

    @Override
    public Broadcast checkedFor(int rank, int size) {
        Checks.root(Operation.BROADCAST, root, size);
        return this;
    }
}
