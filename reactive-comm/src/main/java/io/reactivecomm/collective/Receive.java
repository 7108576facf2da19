package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import java.util.List;
import java.util.function.Supplier;

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
    public Supplier<String> words() {
        String what = label();
        Signature signature = signature();
        return () -> what + "(" + signature.type() + " × " + signature.count() + ")";
    }

    @Override
    public Operation operation() {
        return Operation.MESSAGE;
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.MESSAGE, tensor.type(), tensor.count(), Signature.NO_ROOT, null);
    }

    @Override
    public List<Tensor> inputs() {
        return List.of();
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(tensor);
    }

    @Override
    public Partitions partitions(int size) {
        Partition whole = Partition.whole(tensor.count());
        return new Partitions(Partition.nothing(), whole);
    }

    @Override
    public Receive checkedFor(int rank, int size) {
        if (peer != ProcessGroup.ANY || size == 1) {
            Checks.peer(Operation.MESSAGE, peer, rank, size);
        }
        return this;
    }
}
