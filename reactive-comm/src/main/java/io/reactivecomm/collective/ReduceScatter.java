package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Every rank's input reduced elementwise, part r of the result on rank r. The parts are those of one input tensor, or one tensor each, which
 * may differ in length. In place where the output is the rank's own part.
 */
public record ReduceScatter(List<Tensor> inputs, Tensor output, Reduction reduction) implements Collective {

    public ReduceScatter {
        inputs = Checks.usable(Operation.REDUCE_SCATTER, "input", inputs);
        Checks.usable(Operation.REDUCE_SCATTER, "output", output);
        Checks.sameType(Operation.REDUCE_SCATTER, inputs, List.of(output));
        Checks.reducible(Operation.REDUCE_SCATTER, output.type(), reduction);
    }

    public ReduceScatter(Tensor input, Tensor output, Reduction reduction) {
        this(Checks.one(input), output, reduction);
    }

    @Override
    public Operation operation() {
        return Operation.REDUCE_SCATTER;
    }

    @Override
    public Signature signature() {
        Partition partition = Checks.partitionOf(inputs);
        boolean isEven = partition.isEven();
        return new Signature(
                Operation.REDUCE_SCATTER,
                output.type(),
                isEven ? output.count() : Signature.UNEVEN,
                Signature.NO_ROOT,
                reduction.label(),
                isEven ? 0 : partition.fingerprint());
    }

    @Override
    public List<Tensor> outputs() {
        return List.of(output);
    }

    @Override
    public Supplier<String> words() {
        Signature signature = signature();
        Partition partition = Checks.partitionOf(inputs);
        long count = output.count();
        return () -> signature.describe(partition.isEven() ? Long.toString(count) : partition.toString());
    }

    @Override
    public Partitions partitions(int size) {
        return new Partitions(Checks.shares(inputs, output.count(), size), Partition.whole(output.count()));
    }

    @Override
    public ReduceScatter checkedFor(int rank, int size) {
        Checks.shares(Operation.REDUCE_SCATTER, "input", inputs, output.count(), rank, size);
        boolean inPlace = inputs.size() == size
                ? Checks.isPart(output, inputs.get(rank), 0)
                : Checks.isPart(output, inputs.getFirst(), rank * output.count());
        List<Tensor> others = new ArrayList<>(inputs);
        if (inPlace) {
            others.remove(inputs.size() == size ? rank : 0);
        }
        Checks.disjoint(Operation.REDUCE_SCATTER, others, outputs());
        return this;
    }
}
