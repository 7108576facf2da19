package io.reactivecomm.testkit.device;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The memory of all fake devices of this JVM, by address.
 *
 * <p>Addresses are numbers that no process of a 64-bit system has mapped: whoever takes one for the host's dies of it. Only the device's own kernels find
 * the bytes behind one. Between two blocks lies what belongs to nobody, and each access is checked against its block.
 *
 * <p><b>Threads.</b> Any.
 */
final class FakeHeap {

    static final FakeHeap JVM = new FakeHeap();

    /** Below the canonical upper half, and above what a process gets. */
    private static final long BASE = 0x4000_0000_0000_0000L;

    private static final long DEVICE_BYTES = 1L << 56;
    private static final long GAP_BYTES = 4096;

    private final NavigableMap<Long, Block> blocks = new TreeMap<>();
    private final long[] next = new long[FakeMemory.DEVICES];

    private FakeHeap() {}

    /** The bytes behind some addresses, and the end of what was enqueued on them last. */
    private static final class Block {

        private final long address;
        private final Tensor bytes;
        private CompletableFuture<?> tail = CompletableFuture.completedFuture(null);

        private Block(long address, Tensor bytes) {
            this.address = address;
            this.bytes = bytes;
        }
    }

    /** {@return the address of so many zeroed bytes} */
    synchronized long allocate(Device device, long byteSize) {
        if (device.index() < 0 || device.index() >= next.length) {
            throw new InvalidCallException("there is no such fake device: device=" + device + ", devices=" + next.length
                    + "; ask for another index");
        }
        Tensor bytes = Tensor.allocate(DType.UINT8, byteSize);
        long address = BASE + device.index() * DEVICE_BYTES + next[device.index()];
        next[device.index()] += (byteSize / GAP_BYTES + 2) * GAP_BYTES;
        blocks.put(address, new Block(address, bytes));
        return address;
    }

    synchronized void free(long address) {
        Block freed = blocks.remove(address);
        if (freed == null) {
            throw new IllegalStateException("fake memory was freed twice: address=" + Long.toHexString(address));
        }
        freed.bytes.close();
    }

    /** {@return how many blocks nobody has freed} */
    synchronized int held() {
        return blocks.size();
    }

    /** @throws InvalidCallException if no kernel of the device reaches a tensor's elements */
    synchronized void requireKnown(Tensor tensor) {
        try {
            at(tensor);
        } catch (IllegalStateException e) {
            throw new InvalidCallException(String.valueOf(e.getMessage()), e);
        }
    }

    private Block block(Tensor tensor) {
        long address = tensor.address();
        Map.Entry<Long, Block> below = blocks.floorEntry(address);
        if (below == null
                || address + tensor.byteSize()
                        > below.getKey() + below.getValue().bytes.byteSize()) {
            throw new IllegalStateException("no such fake memory: tensor=" + tensor + ", address="
                    + Long.toHexString(address) + "; it was freed, or the tensor reaches beyond it");
        }
        return below.getValue();
    }

    /** {@return where a kernel of the device reaches a tensor's elements, which may be the host's} */
    synchronized MemorySegment at(Tensor tensor) {
        if (tensor.device().equals(Device.CPU)) {
            return tensor.segment();
        }
        Block block = block(tensor);
        return block.bytes.segment().asSlice(tensor.address() - block.address, tensor.byteSize());
    }

    /** {@return a tensor's elements, once all that was enqueued on it is done} Blocks until then. */
    MemorySegment settled(Tensor tensor) {
        enqueue(List.of(tensor), CompletableFuture.completedFuture(null)).join();
        return at(tensor);
    }

    /**
     * Puts work behind all that was enqueued on those tensors before, and in front of what is enqueued on them from here on.
     *
     * @param done completes when the work has ended, whether well or not
     * @return what completes when the work can begin
     */
    synchronized CompletableFuture<?> enqueue(List<Tensor> tensors, CompletableFuture<?> done) {
        Set<Block> touched = new LinkedHashSet<>();
        for (Tensor tensor : tensors) {
            if (!tensor.device().equals(Device.CPU)) {
                touched.add(block(tensor));
            }
        }
        List<CompletableFuture<?>> before = new ArrayList<>();
        CompletableFuture<?> ended = done.handle((value, error) -> null);
        for (Block block : touched) {
            before.add(block.tail);
            block.tail = ended;
        }
        return CompletableFuture.allOf(before.toArray(CompletableFuture[]::new));
    }
}
