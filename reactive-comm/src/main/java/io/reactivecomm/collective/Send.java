package io.reactivecomm.collective;

import io.reactivecomm.Tensor;
import org.jspecify.annotations.Nullable;

/** One tensor to one other rank. */
public record Send(Tensor tensor, int peer, int tag) implements Collective {

    public Send {
        Checks.usable(Operation.MESSAGE, "tensor", tensor);
    }

    @Override
    public String label() {
        return "send";
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.MESSAGE, tensor.type(), tensor.count(), Signature.NO_ROOT, null);
    }

    @Override
    public Tensor input() {
        return tensor;
    }

    @Override
    public @Nullable Tensor output() {
        return null;
    }

    @Override
    public Send checkedFor(int rank, int size) {
        Checks.peer(Operation.MESSAGE, peer, rank, size);
        return this;
    }
}
