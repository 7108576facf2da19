package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.Handle;
import io.reactivecomm.Move;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.spi.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The memory of a device itself, by its addresses, for an MPI that takes them: segments of it are addresses and lengths, which the host does not touch. MPI knows
 * no streams, so it is called when the device has done all that was enqueued before on the tensors.
 */
final class DirectMemory extends DeviceWork {

    private DirectMemory(RankMemory memory, Collective call) {
        super(memory, call);
    }

    /** Begins to wait for what is enqueued on a call's tensors. */
    static DirectMemory of(RankMemory memory, Collective call) {
        DirectMemory direct = new DirectMemory(memory, call);
        direct.enqueued(memory.settled(call.tensors()));
        return direct;
    }

    private Tensor there(MemorySegment bytes) {
        return there(bytes.address(), bytes.byteSize());
    }

    @Override
    public MemorySegment at(Tensor tensor) {
        return MemorySegment.ofAddress(tensor.address()).reinterpret(tensor.byteSize());
    }

    @Override
    public Tensor scratch(long bytes) {
        Tensor scratch = memory().allocate(device(), DType.UINT8, bytes);
        // It is filled with zeros by a stream.
        enqueued(memory().settled(List.of(scratch)));
        return scratch;
    }

    @Override
    public void copy(MemorySegment from, MemorySegment to) {
        enqueued(memory().move(List.of(Move.copy(there(from), there(to)))));
    }

    @Override
    public void finish() {}

    @Override
    public Handle giveUp(Handle hands) {
        return hands;
    }

    @Override
    public void give(Runnable calls) {
        try (RankMemory.Current current = memory().current(device())) {
            calls.run();
        }
    }
}
