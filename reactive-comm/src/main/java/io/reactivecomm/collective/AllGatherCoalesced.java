package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Several all-gathers as one call: for each input an output that takes it from every rank, in rank order. */
public record AllGatherCoalesced(List<Tensor> inputs, List<Tensor> outputs) implements Collective {

    public AllGatherCoalesced {
        inputs = Checks.usable(Operation.ALL_GATHER, "input", inputs);
        outputs = Checks.usable(Operation.ALL_GATHER, "output", outputs);
        Checks.sameType(Operation.ALL_GATHER, inputs, outputs);
        Checks.sameNumber(Operation.ALL_GATHER, inputs, outputs);
    }

    @Override
    public Operation operation() {
        return Operation.ALL_GATHER;
    }

    @Override
    public Signature signature() {
        Partition partition = Checks.partitionOf(inputs);
        return new Signature(
                Operation.ALL_GATHER,
                inputs.getFirst().type(),
                partition.total(),
                Signature.NO_ROOT,
                null,
                partition.fingerprint());
    }

    @Override
    public Supplier<String> words() {
        Signature signature = signature();
        Partition partition = Checks.partitionOf(inputs);
        return () -> signature.describe(partition.toString());
    }

    @Override
    public Partitions partitions(int size) {
        long own = Checks.partitionOf(inputs).total();
        return new Partitions(Partition.whole(own), Partition.even(size, own));
    }

    /** {@return for each rank in order its share of every output} */
    @Override
    public List<Tensor> outputRow(int size) {
        List<Tensor> shares = new ArrayList<>(outputs.size() * size);
        for (int rank = 0; rank < size; rank++) {
            for (int i = 0; i < outputs.size(); i++) {
                long count = inputs.get(i).count();
                shares.add(outputs.get(i).slice(rank * count, count));
            }
        }
        return shares;
    }

    @Override
    public AllGatherCoalesced checkedFor(int rank, int size) {
        List<Tensor> elsewhere = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++) {
            Tensor input = inputs.get(i);
            Checks.count(Operation.ALL_GATHER, "output", outputs.get(i), input.count() * size);
            if (!Checks.isPart(input, outputs.get(i), rank * input.count())) {
                elsewhere.add(input);
            }
        }
        Checks.disjoint(Operation.ALL_GATHER, elsewhere, outputs);
        return this;
    }
}
