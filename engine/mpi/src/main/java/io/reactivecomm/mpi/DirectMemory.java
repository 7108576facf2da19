package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.spi.engine.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The device memory of a call's tensors, for an MPI library that accepts device addresses. Its segments carry addresses and lengths; the host does not access
 * them. MPI knows no streams, so MPI is called once the device has completed all earlier work on the tensors.
 */
final class DirectMemory extends DeviceWork {

    private DirectMemory(RankMemory memory, Collective call) {
        super(memory, call);
    }

    /** Begins to wait for the work that is enqueued on the tensors of a call of a group's rank. */
    static DirectMemory of(RankMemory memory, Collective call, int rank) {
        DirectMemory direct = new DirectMemory(memory, call);
        direct.follow(call.sources(rank));
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
        // A stream fills it with zeros.
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
