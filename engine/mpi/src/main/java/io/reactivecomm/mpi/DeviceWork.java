package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.engine.RankMemory;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * The common part of memory for device tensors: the work enqueued for a call, and its completion.
 *
 * <p><b>Threads.</b> As {@link PlanMemory}.
 */
abstract sealed class DeviceWork implements PlanMemory permits StagedMemory, DirectMemory {

    private final RankMemory memory;
    private final Device device;

    // All guarded by this.
    private final List<Tensor> parts = new ArrayList<>();
    private final List<Handle> all = new ArrayList<>();
    private final List<Handle> fresh = new ArrayList<>();
    private boolean isFree;

    /** @param call a call whose tensors are all on one device */
    DeviceWork(RankMemory memory, Collective call) {
        this.memory = memory;
        this.device = call.tensors().getFirst().device();
    }

    final RankMemory memory() {
        return memory;
    }

    final Device device() {
        return device;
    }

    /** {@return a tensor over bytes of the device that it does not own} */
    final synchronized Tensor there(long address, long bytes) {
        Tensor part = Tensor.onDevice(memory, device, address, () -> {}, DType.UINT8, bytes);
        parts.add(part);
        return part;
    }

    /** Adds work that has been enqueued. */
    final synchronized void enqueued(Handle handle) {
        all.add(handle);
        fresh.add(handle);
    }

    /**
     * Adds the work that was enqueued before on tensors that the call reads. If that work fails, the call fails on all ranks; otherwise the other ranks would
     * receive what this tensor held before.
     */
    final synchronized void follow(List<Tensor> reads) {
        for (Tensor tensor : reads) {
            Mono<Void> before = tensor.readiness();
            if (before != null) {
                fresh.add(() -> before);
            }
        }
    }

    @Override
    public final synchronized DeviceCompletion arrival() {
        DeviceCompletion arrival = DeviceCompletion.of(fresh);
        fresh.clear();
        return arrival;
    }

    @Override
    public final Handle free() {
        Handle end;
        synchronized (this) {
            end = end();
            if (isFree) {
                return end;
            }
            isFree = true;
        }
        end.released().subscribe(null, null, this::close);
        return end;
    }

    /** {@return a handle, released when all work enqueued so far is complete} */
    final synchronized Handle end() {
        Mono<Void> released = Mono.when(all.stream().map(Handle::released).toList());
        return () -> released;
    }

    /** Frees its memory. Called once, after all enqueued work is complete. */
    synchronized void close() {
        parts.forEach(Tensor::close);
    }
}
