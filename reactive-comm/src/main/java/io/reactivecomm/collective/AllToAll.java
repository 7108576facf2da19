package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Tensor;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Part p of every rank's input goes to rank p, where the parts lie in the order of the ranks they came from.
 *
 * @param inputCut which part goes to which rank, or null for equal parts of one tensor
 * @param outputCut which part comes from which rank, or null for equal parts of one tensor
 */
public record AllToAll(
        List<Tensor> inputs,
        @Nullable Partition inputCut,
        List<Tensor> outputs,
        @Nullable Partition outputCut) implements Collective {

    public AllToAll {
        inputs = Checks.usable(Operation.ALL_TO_ALL, "input", inputs);
        outputs = Checks.usable(Operation.ALL_TO_ALL, "output", outputs);
        Checks.sameType(Operation.ALL_TO_ALL, inputs, outputs);
        Checks.disjoint(Operation.ALL_TO_ALL, inputs, outputs);
    }

    /** Equal parts, agreed by all ranks. */
    public AllToAll(Tensor input, Tensor output) {
        this(Checks.one(input), null, Checks.one(output), null);
    }

    /** Parts of one tensor, agreed by each pair of ranks. */
    public AllToAll(Tensor input, long[] inputSplits, Tensor output, long[] outputSplits) {
        this(
                Checks.one(input),
                Checks.splits(Operation.ALL_TO_ALL, "input", input, inputSplits),
                Checks.one(output),
                Checks.splits(Operation.ALL_TO_ALL, "output", output, outputSplits));
    }

    /** A tensor for each part, agreed by each pair of ranks. */
    public AllToAll(List<Tensor> inputs, List<Tensor> outputs) {
        this(
                inputs,
                Checks.partitionOf(Checks.usable(Operation.ALL_TO_ALL, "input", inputs)),
                outputs,
                Checks.partitionOf(Checks.usable(Operation.ALL_TO_ALL, "output", outputs)));
    }

    private boolean isEven() {
        return inputCut == null || outputCut == null;
    }

    @Override
    public Operation operation() {
        return Operation.ALL_TO_ALL;
    }

    /** {@return for equal parts the elements of all of them, because how many there are only the group knows} */
    @Override
    public Signature signature() {
        long count = isEven() ? inputs.getFirst().count() : Signature.UNEVEN;
        return new Signature(Operation.ALL_TO_ALL, inputs.getFirst().type(), count, Signature.NO_ROOT, null);
    }

    @Override
    public Supplier<String> words() {
        Signature signature = signature();
        Partition from = inputCut;
        Partition to = outputCut;
        return () ->
                signature.describe(from == null || to == null ? Long.toString(signature.count()) : from + " to " + to);
    }

    @Override
    public Map<Integer, Long> agreements(int rank, int size) {
        return inputCut == null || outputCut == null ? Map.of() : PairAgreements.ofAll(rank, inputCut, outputCut);
    }

    @Override
    public Partitions partitions(int size) {
        if (inputCut == null || outputCut == null) {
            Partition even = Partition.even(size, inputs.getFirst().count() / size);
            return new Partitions(even, even);
        }
        return new Partitions(inputCut, outputCut);
    }

    @Override
    public AllToAll checkedFor(int rank, int size) {
        if (inputCut == null || outputCut == null) {
            Checks.divisible(Operation.ALL_TO_ALL, "input", inputs.getFirst(), size);
            Checks.count(
                    Operation.ALL_TO_ALL,
                    "output",
                    outputs.getFirst(),
                    inputs.getFirst().count());
            return this;
        }
        Checks.parts(Operation.ALL_TO_ALL, "input", inputCut, size);
        Checks.parts(Operation.ALL_TO_ALL, "output", outputCut, size);
        Checks.ownPart(Operation.ALL_TO_ALL, inputCut.count(rank), outputCut.count(rank));
        return this;
    }
}
