package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Every rank's input on the root, one output for each rank, which may differ in length; elsewhere there are no outputs. */
public record Gather(Tensor input, List<Tensor> outputs, int root) implements Collective {

    public Gather {
        Checks.usable(Operation.GATHER, "input", input);
        outputs = Checks.usableOrNone(Operation.GATHER, "output", outputs);
        Checks.sameType(Operation.GATHER, List.of(input), outputs);
    }

    @Override
    public Operation operation() {
        return Operation.GATHER;
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.GATHER, input.type(), Signature.UNEVEN, root, null);
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(input);
    }

    @Override
    public Supplier<String> words() {
        Signature signature = signature();
        Partition partition = Partition.evenOr(Checks.countsOf(outputs), 1, input.count());
        return () -> signature.describe(partition.toString());
    }

    @Override
    public Map<Integer, Long> agreements(int rank, int size) {
        return rank == root
                ? PairAgreements.ofRoot(root, Checks.partitionOf(outputs))
                : PairAgreements.ofLeaf(root, input.count());
    }

    @Override
    public Partitions partitions(int size) {
        return new Partitions(Partition.whole(input.count()), Checks.partitionOf(outputs));
    }

    /** Ranks other than the root assume that all parts have the length of their own; only the root knows uneven lengths. */
    @Override
    public long byteSize(int size) {
        return outputs.isEmpty() ? input.byteSize() * size : Collective.super.byteSize(size);
    }

    @Override
    public Gather checkedFor(int rank, int size) {
        Checks.root(Operation.GATHER, root, size);
        Checks.atRootOnly(Operation.GATHER, "output", outputs, rank == root, size);
        if (rank == root) {
            Checks.count(Operation.GATHER, "output of the root itself", outputs.get(rank), input.count());
            boolean inPlace = Checks.isPart(input, outputs.get(rank), 0);
            Checks.disjoint(Operation.GATHER, inPlace ? List.of() : inputs(), outputs);
        }
        return this;
    }
}
