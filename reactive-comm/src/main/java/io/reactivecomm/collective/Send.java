package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.List;
import java.util.function.Supplier;

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
        return List.of(tensor);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of();
    }

    @Override
    public Partitions partitions(int size) {
        Partition whole = Partition.whole(tensor.count());
        return new Partitions(whole, Partition.nothing());
    }

    @Override
    public Send checkedFor(int rank, int size) {
        Checks.peer(Operation.MESSAGE, peer, rank, size);
        return this;
    }
}
