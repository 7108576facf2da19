package io.reactivecomm.device;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.internal.memory.Shapes;
import java.util.List;
import java.util.Optional;

/**
 * The memory of the devices of one kind: takes tensors from it, and moves their elements. An engine for such devices
 * {@linkplain io.reactivecomm.spi.engine.CollectiveEngine#memory() offers} it, and {@link ProcessGroup#allocate(Device, DType, long...)} and
 * {@link ProcessGroup#move} go there.
 *
 * <p><b>Readiness</b> travels with the tensors. What was enqueued, a move or a call of the engine, is ordered by the device itself behind whatever was
 * enqueued before on the tensors that it reads or writes: so a move into a tensor, its {@linkplain ProcessGroup#enqueued() enqueued} all-reduce and,
 * once the {@link Work} of that has come, the move of its result are begun one after the other, and the host waits once, for the last. The host's own
 * memory has no such order: who reads or writes it waits for the handle.
 *
 * <p><b>Threads.</b> Any, loops among them: nothing here blocks.
 */
public interface DeviceMemory {

    /**
     * {@return the bytes that a tensor of that shape takes, for who allocates them}
     *
     * @throws IllegalArgumentException if a dimension is negative or the size overflows
     */
    static long byteSize(DType type, long... shape) {
        return Shapes.countOf(type, shape) * type.byteSize();
    }

    /** {@return the kind of the devices, as {@link Device#kind()} has it} */
    String kind();

    /**
     * Allocates a zeroed tensor, which {@link Tensor#onDevice} makes of an address.
     *
     * @throws InvalidCallException if there is no such device
     * @throws IllegalArgumentException if a dimension is negative or the size overflows
     * @throws OutOfMemoryError if it has no such memory left
     */
    Tensor allocate(Device device, DType type, long... shape);

    /**
     * Enqueues moves and returns at once. The device may do them in any order and all at the same time, as one kernel would: no move writes what
     * another of the list reads or writes.
     *
     * <p><b>Buffers.</b> The caller has borrowed all tensors, until the handle has completed. Those that are in the host's memory are not touched by
     * anybody meanwhile.
     *
     * <p><b>Errors.</b> By the handle.
     *
     * @param moves to, from or within devices of this kind; the other side may be the host's memory
     */
    Handle move(List<Move> moves);

    /** {@return where kernels are enqueued; empty if the devices of this kind run none} */
    default Optional<KernelQueue> kernels() {
        return Optional.empty();
    }
}
