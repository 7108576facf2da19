package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.List;
import java.util.function.Supplier;

/**
 * Every rank's input on every rank, in rank order: in one output tensor, or in one for each rank, which may differ in length. In place where
 * the input is the rank's own part.
 */
public record AllGather(Tensor input, List<Tensor> outputs) implements Collective {

    public AllGather {
        Checks.usable(Operation.ALL_GATHER, "input", input);
        outputs = Checks.usable(Operation.ALL_GATHER, "output", outputs);
        Checks.sameType(Operation.ALL_GATHER, List.of(input), outputs);
    }

    public AllGather(Tensor input, Tensor output) {
        this(input, Checks.one(output));
    }

    @Override
    public Operation operation() {
        return Operation.ALL_GATHER;
    }

    @Override
    public Signature signature() {
        Partition partition = Checks.partitionOf(outputs);
        boolean isEven = partition.isEven();
        return new Signature(
                Operation.ALL_GATHER,
                input.type(),
                isEven ? input.count() : Signature.UNEVEN,
                Signature.NO_ROOT,
                null,
                isEven ? 0 : partition.fingerprint());
    }

    @Override
    public List<Tensor> inputs() {
        return List.of(input);
    }

    @Override
    public Supplier<String> words() {
        Signature signature = signature();
        Partition partition = Checks.partitionOf(outputs);
        long count = input.count();
        return () -> signature.describe(partition.isEven() ? Long.toString(count) : partition.toString());
    }

    @Override
    public Partitions partitions(int size) {
        return new Partitions(Partition.whole(input.count()), Checks.shares(outputs, input.count(), size));
    }

    @Override
    public AllGather checkedFor(int rank, int size) {
        Checks.shares(Operation.ALL_GATHER, "output", outputs, input.count(), rank, size);
        Tensor first = outputs.getFirst();
        boolean inPlace = outputs.size() == size
                ? Checks.isPart(input, outputs.get(rank), 0)
                : Checks.isPart(input, first, rank * input.count());
        Checks.disjoint(Operation.ALL_GATHER, inPlace ? List.of() : inputs(), outputs);
        return this;
    }
}
