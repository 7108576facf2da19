package io.reactivecomm.nccl;

import io.reactivecomm.CommException;
import io.reactivecomm.Tensor;
import io.reactivecomm.nccl.cuda.DeviceAllocator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Memory that NCCL has allocated, for tensors of some size: it is registered with each communicator whose calls use it, with their first launch, so that NCCL
 * reads and writes it in place.
 *
 * <p><b>Threads.</b> Any allocates and frees; the launch stream's thread registers, since no communicator may be used by two.
 */
final class NcclMemory implements DeviceAllocator {

    private final NcclSetup setup;
    private final LaunchStream stream;
    private final long leastBytes;
    /** Bytes by address. */
    private final ConcurrentNavigableMap<Long, Long> blocks = new ConcurrentSkipListMap<>();
    /** NCCL's handles by address, of each communicator; they go with it. */
    private final Map<NcclGroup, Map<Long, Long>> registrations = new WeakHashMap<>();

    /** @param leastBytes what a tensor has at least that is allocated here */
    NcclMemory(NcclSetup setup, LaunchStream stream, long leastBytes) {
        this.setup = setup;
        this.stream = stream;
        this.leastBytes = leastBytes;
    }

    /** {@return whether a library can do so} */
    static boolean isIn(NcclLibrary library) {
        return library.has(NcclFunction.MEM_ALLOC)
                && library.has(NcclFunction.MEM_FREE)
                && library.has(NcclFunction.COMM_REGISTER)
                && library.has(NcclFunction.COMM_DEREGISTER);
    }

    @Override
    public boolean takes(long bytes) {
        return bytes >= leastBytes;
    }

    @Override
    public long allocate(long bytes) {
        try {
            long address = setup.allocate(bytes);
            blocks.put(address, bytes);
            return address;
        } catch (NcclException e) {
            OutOfMemoryError error = new OutOfMemoryError("NCCL cannot allocate memory: bytes=" + bytes + ", cause="
                    + CommException.textOf(e) + "; close tensors that are no longer needed, or use smaller ones");
            error.initCause(e);
            throw error;
        }
    }

    @Override
    public void free(long address) {
        blocks.remove(address);
        stream.execute(() -> {
            List<NcclGroup> ending = new ArrayList<>();
            registrations.forEach((group, handles) -> {
                Long registration = handles.remove(address);
                if (registration != null && !isDeregistered(group, registration)) {
                    ending.add(group);
                }
            });
            freeBehind(ending, address);
        });
    }

    /** A communicator is about to be left. On the stream's thread. */
    void forget(NcclGroup group) {
        Map<Long, Long> handles = registrations.remove(group);
        if (handles != null) {
            handles.values().forEach(registration -> isDeregistered(group, registration));
        }
    }

    /** {@return false if the communicator is ending, and will forget it then} */
    private boolean isDeregistered(NcclGroup group, long registration) {
        if (!group.lock()) {
            return false;
        }
        try {
            setup.deregister(group.comm(), registration);
            return true;
        } finally {
            group.unlock();
        }
    }

    private void freeBehind(List<NcclGroup> ending, long address) {
        if (ending.stream().allMatch(NcclGroup::hasEnded)) {
            setup.free(address);
            return;
        }
        // Who ends a communicator has the device until then, so there is one.
        stream.aside("free", () -> {
            ending.forEach(NcclGroup::awaitEnd);
            setup.free(address);
        });
    }

    /** Registers what a call uses and its communicator does not know yet. On the stream's thread; the communicator is locked, and not ending. */
    void register(PlannedCall call) {
        if (!blocks.isEmpty()) {
            register(call.group(), call.tensors());
        }
    }

    private void register(NcclGroup group, List<Tensor> tensors) {
        for (Tensor tensor : tensors) {
            Map.Entry<Long, Long> block = tensor.byteSize() == 0 ? null : blocks.floorEntry(tensor.address());
            if (block != null && tensor.address() < block.getKey() + block.getValue()) {
                registrations
                        .computeIfAbsent(group, ignored -> new HashMap<>())
                        .computeIfAbsent(
                                block.getKey(), address -> setup.register(group.comm(), address, block.getValue()));
            }
        }
    }
}
