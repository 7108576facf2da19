package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import java.util.List;
import java.util.function.Supplier;

/**
 * Every rank's inputs reduced elementwise, the result on every rank; in place where input and output are the same memory. Several tensors
 * are reduced as one.
 */
public record AllReduce(List<Tensor> inputs, List<Tensor> outputs, Reduction reduction) implements Collective {

    public AllReduce {
        inputs = Checks.usable(Operation.ALL_REDUCE, "input", inputs);
        outputs = Checks.usable(Operation.ALL_REDUCE, "output", outputs);
        Checks.sameType(Operation.ALL_REDUCE, inputs, outputs);
        Checks.reducible(Operation.ALL_REDUCE, inputs.getFirst().type(), reduction);
        Checks.pairwise(Operation.ALL_REDUCE, inputs, outputs);
        Checks.disjoint(Operation.ALL_REDUCE, Checks.notInPlace(inputs, outputs), outputs);
        outputs = outputs.equals(inputs) ? inputs : outputs;
    }

    public AllReduce(Tensor input, Tensor output, Reduction reduction) {
        List<Tensor> outputs = Checks.one(output);
        this(input == output ? outputs : Checks.one(input), outputs, reduction);
    }

    @Override
    public Operation operation() {
        return Operation.ALL_REDUCE;
    }

    @Override
    public Signature signature() {
        Partition partition = partition();
        return new Signature(
                Operation.ALL_REDUCE,
                inputs.getFirst().type(),
                partition.total(),
                Signature.NO_ROOT,
                reduction.label(),
                partition.fingerprint());
    }

    private Partition partition() {
        return Checks.partitionOf(inputs);
    }

    @Override
    public Supplier<String> words() {
        Signature signature = signature();
        Partition partition = partition();
        return () -> signature.describe(partition.toString());
    }

    @Override
    public Partitions partitions(int size) {
        Partition whole = Partition.whole(partition().total());
        return new Partitions(whole, whole);
    }

    @Override
    public AllReduce checkedFor(int rank, int size) {
        return this;
    }
}
