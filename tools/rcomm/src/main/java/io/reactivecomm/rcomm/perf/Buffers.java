package io.reactivecomm.rcomm.perf;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.samples.programs.world.Names;

/** The memory in which the measured tensors live. */
enum Buffers {
    /** In memory of the rank's own, as a program has that knows nothing of the engine. */
    PRIVATE,
    /** In the memory that the engine gives out. */
    SHARED;

    Tensor allocate(ProcessGroup group, DType type, long count) {
        return switch (this) {
            case PRIVATE -> Tensor.allocate(type, count);
            case SHARED -> group.allocate(type, count);
        };
    }

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}
