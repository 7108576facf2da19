package io.reactivecomm.collective;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call as this rank issues it: its operation, tensors and options.
 *
 * <p>A value of this type is well formed in itself; {@link #checkedFor} adds what only the group knows.
 */
public sealed interface Collective permits AllReduce, Reduce, Broadcast, AllGather, ReduceScatter, Barrier, Send, Receive {

    /** {@return what all ranks must agree on} */
    Signature signature();

    /** {@return the tensor that this rank contributes, or null if it contributes none} */
    @Nullable Tensor input();

    /** {@return the tensor that takes this rank's result, or null if it takes none} */
    @Nullable Tensor output();

    /** {@return the operation in prose} */
    default String label() {
        return signature().operation().label();
    }

    /**
     * {@return this call}
     *
     * @throws InvalidCallException if it cannot be made by that rank of a group of that size
     * @throws UnsupportedCollectiveException if the reduction does not take the type
     */
    Collective checkedFor(int rank, int size);

    /** {@return the size as nccl-tests counts it, in bytes, in a group of {@code size} ranks} */
    default long byteSize(int size) {
        Signature signature = signature();
        long bytes = signature.count() * signature.type().byteSize();
        return switch (signature.operation()) {
            case ALL_GATHER, REDUCE_SCATTER -> bytes * size;
            case ALL_REDUCE, REDUCE, BROADCAST, BARRIER, MESSAGE -> bytes;
        };
    }

    /** {@return the tensors that hold the result on that rank of the group} */
    default List<Tensor> results(int rank) {
        Tensor output = output();
        boolean elsewhere = signature().operation() == Operation.REDUCE && signature().root() != rank;
        return output == null || elsewhere ? List.of() : List.of(output);
    }

    /** {@return the tensors that the call borrows, each once} */
    default List<Tensor> tensors() {
        Tensor input = input();
        Tensor output = output();
        if (input == null) {
            return output == null ? List.of() : List.of(output);
        }
        return output == null || output == input ? List.of(input) : List.of(input, output);
    }
}
