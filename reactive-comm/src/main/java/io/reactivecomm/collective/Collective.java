package io.reactivecomm.collective;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call as this rank issues it: its operation, tensors and options.
 *
 * <p>A value of this type is well formed in itself; {@link #checkedFor} adds what only the group knows. Several input tensors are one row
 * of elements, one after the other, and so are several outputs; {@link #partitions} says where its parts are.
 */
public sealed interface Collective
        permits AllReduce,
                AllGather,
                AllGatherCoalesced,
                ReduceScatter,
                AllToAll,
                Gather,
                Scatter,
                OneTensor,
                NoTensor,
                Coalesced,
                Fused,
                Send,
                Receive {

    /** {@return what all ranks must agree on} */
    Signature signature();

    /** {@return the tensors that this rank contributes, in order} */
    List<Tensor> inputs();

    /** {@return the tensors that take this rank's result, in order} */
    List<Tensor> outputs();

    /** {@return the inputs, or slices of them, in the order of the parts of {@link #partitions}} */
    default List<Tensor> inputRow(int size) {
        return inputs();
    }

    /** {@return the outputs, or slices of them, in the order of the parts of {@link #partitions}} */
    default List<Tensor> outputRow(int size) {
        return outputs();
    }

    /** {@return the parts of the inputs and outputs in a group of {@code size} ranks: one, or one for each rank} */
    Partitions partitions(int size);

    /**
     * {@return a number for each other rank with which this rank exchanges data; the two ranks have the same number if they agree on its lengths}
     * The {@link Signature} does not contain such lengths. The call must be {@linkplain #checkedFor checked} for that rank.
     */
    default Map<Integer, Long> agreements(int rank, int size) {
        return Map.of();
    }

    /** {@return how elements are combined, or null if they are not} */
    default @Nullable Reduction reduction() {
        return null;
    }

    /** {@return what is done} */
    Operation operation();

    /** {@return the operation in prose} */
    default String label() {
        return operation().label();
    }

    /** {@return the call in a reader's words, such as {@code all-reduce(FLOAT32 × 5, SUM)}} */
    default String describe() {
        return words().get();
    }

    /**
     * {@return what makes {@link #describe()} when it is asked}
     * It holds on to no tensor: so it may outlive the call, of which nearly always nobody asks.
     */
    default Supplier<String> words() {
        return signature()::describe;
    }

    /**
     * {@return this call}
     *
     * @throws InvalidCallException if it cannot be made by that rank of a group of that size
     * @throws UnsupportedCollectiveException if the reduction does not take the type
     */
    Collective checkedFor(int rank, int size);

    /**
     * {@return the size as nccl-tests counts it, in bytes, in a group of {@code size} ranks}
     * It is the same on all ranks, unless parts differ in length and this rank knows only its own. The other parts then count as equally long.
     */
    default long byteSize(int size) {
        return Math.max(bytes(inputRow(size)), bytes(outputRow(size)));
    }

    private static long bytes(List<Tensor> tensors) {
        long bytes = 0;
        for (int i = 0; i < tensors.size(); i++) {
            bytes += tensors.get(i).byteSize();
        }
        return bytes;
    }

    /** {@return the tensors that hold the result on that rank of the group} */
    default List<Tensor> results(int rank) {
        return outputs();
    }

    /** {@return the inputs whose elements the call uses on that rank of the group} Only a broadcast has inputs that most ranks do not read. */
    default List<Tensor> sources(int rank) {
        return inputs();
    }

    /** {@return the tensors that the call reads on that rank of the group, except those that it also {@link #writes}} */
    default List<Tensor> reads(int rank) {
        return inputs();
    }

    /** {@return the tensors that the call writes on that rank of the group} */
    default List<Tensor> writes(int rank) {
        return outputs();
    }

    /** {@return the tensors that the call borrows, each once} */
    default List<Tensor> tensors() {
        List<Tensor> inputs = inputs();
        List<Tensor> outputs = outputs();
        if (inputs.isEmpty() || inputs == outputs) {
            return outputs;
        }
        if (outputs.isEmpty()) {
            return inputs;
        }
        List<Tensor> all = new ArrayList<>(inputs.size() + outputs.size());
        all.addAll(inputs);
        all.addAll(outputs);
        return all;
    }
}
