package io.reactivecomm.collective;

import io.reactivecomm.Tensor;
import java.util.List;

/** A call that moves no elements: the ranks only agree, or wait for each other. */
sealed interface NoTensor extends Collective permits Barrier, MonitoredBarrier, NewGroup {

    @Override
    default List<Tensor> inputs() {
        return List.of();
    }

    @Override
    default List<Tensor> outputs() {
        return List.of();
    }

    @Override
    default Partitions partitions(int size) {
        return Partitions.NONE;
    }
}
