package io.reactivecomm.collective;

import io.reactivecomm.Tensor;
import java.util.List;

/** A call on one tensor, which is its input and its output. */
sealed interface OneTensor extends Collective permits InferenceAllReduce, Reduce, Broadcast {

    /** {@return the tensor} */
    Tensor tensor();

    @Override
    default List<Tensor> inputs() {
        return List.of(tensor());
    }

    @Override
    default List<Tensor> outputs() {
        return List.of(tensor());
    }

    @Override
    default List<Tensor> tensors() {
        return List.of(tensor());
    }

    @Override
    default List<Tensor> reads(int rank) {
        return List.of();
    }

    @Override
    default Partitions partitions(int size) {
        Partition whole = Partition.whole(tensor().count());
        return new Partitions(whole, whole);
    }
}
