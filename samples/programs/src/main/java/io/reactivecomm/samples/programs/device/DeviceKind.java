package io.reactivecomm.samples.programs.device;

import io.reactivecomm.samples.programs.world.Names;

/** The kind of device that a sample's tensors are on. */
public enum DeviceKind {
    /** The host's memory. */
    CPU,
    /** A GPU for each rank, or a double of one. */
    CUDA;

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}
