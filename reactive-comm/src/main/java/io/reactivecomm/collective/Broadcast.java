package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.List;

/** The root's tensor copied into every rank's. */
public record Broadcast(Tensor tensor, int root) implements Collective {

    public Broadcast {
        Checks.usable(Operation.BROADCAST, "tensor", tensor);
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.BROADCAST, tensor.type(), tensor.count(), root, null);
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
    public Broadcast checkedFor(int rank, int size) {
        Checks.root(Operation.BROADCAST, root, size);
        return this;
    }
}
