package io.reactivecomm.collective;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import org.jspecify.annotations.Nullable;

/** One tensor from one other rank, or from whichever sends first. */
public record Receive(Tensor tensor, int peer, int tag) implements Collective {

    public Receive {
        Checks.usable(Operation.MESSAGE, "tensor", tensor);
    }

    @Override
    public String label() {
        return "receive";
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.MESSAGE, tensor.type(), tensor.count(), Signature.NO_ROOT, null);
    }

    @Override
    public @Nullable Tensor input() {
        return null;
    }

    @Override
    public Tensor output() {
        return tensor;
    }

    @Override
    public Receive checkedFor(int rank, int size) {
        if (peer != ProcessGroup.ANY || size == 1) {
            Checks.peer(Operation.MESSAGE, peer, rank, size);
        }
        return this;
    }
}
