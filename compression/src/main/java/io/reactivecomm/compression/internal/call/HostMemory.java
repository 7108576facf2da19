package io.reactivecomm.compression.internal.call;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.lang.foreign.MemorySegment;

/** The one way from a tensor to its elements, which codecs reach only in the host's memory. */
public final class HostMemory {

    private HostMemory() {}

    /**
     * {@return the memory of a tensor}
     *
     * @param name of the tensor in the call, for the error
     * @throws InvalidCallException if it is on a device
     */
    public static MemorySegment of(Tensor tensor, String name) {
        if (!tensor.device().equals(Device.CPU)) {
            throw new InvalidCallException("a codec reaches only the host's memory: tensor=" + name + ", device="
                    + tensor.device() + "; move it to the host first");
        }
        return tensor.segment();
    }
}
