package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The root's inputs, one to each rank, which may differ in length; elsewhere there are no inputs. */
public record Scatter(List<Tensor> inputs, Tensor output, int root) implements Collective {

    public Scatter {
        inputs = Checks.usableOrNone(Operation.SCATTER, "input", inputs);
        Checks.usable(Operation.SCATTER, "output", output);
        Checks.sameType(Operation.SCATTER, inputs, List.of(output));
    }

    @Override
    public Operation operation() {
        return Operation.SCATTER;
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.SCATTER, output.type(), Signature.UNEVEN, root, null);
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(output);
    }

    @Override
    public Supplier<String> words() {
        Signature signature = signature();
        Partition partition = Partition.evenOr(Checks.countsOf(inputs), 1, output.count());
        return () -> signature.describe(partition.toString());
    }

    @Override
    public Map<Integer, Long> agreements(int rank, int size) {
        return rank == root
                ? PairAgreements.ofRoot(root, Checks.partitionOf(inputs))
                : PairAgreements.ofLeaf(root, output.count());
    }

    @Override
    public Partitions partitions(int size) {
        return new Partitions(Checks.partitionOf(inputs), Partition.whole(output.count()));
    }

    /** Ranks other than the root assume that all parts have the length of their own; only the root knows uneven lengths. */
    @Override
    public long byteSize(int size) {
        return inputs.isEmpty() ? output.byteSize() * size : Collective.super.byteSize(size);
    }

    @Override
    public Scatter checkedFor(int rank, int size) {
        Checks.root(Operation.SCATTER, root, size);
        Checks.atRootOnly(Operation.SCATTER, "input", inputs, rank == root, size);
        if (rank == root) {
            Checks.count(
                    Operation.SCATTER,
                    "output of the root itself",
                    output,
                    inputs.get(rank).count());
            List<Tensor> others = new ArrayList<>(inputs);
            if (Checks.isPart(output, inputs.get(rank), 0)) {
                others.remove(rank);
            }
            Checks.disjoint(Operation.SCATTER, others, outputs());
        }
        return this;
    }
}
