package io.reactivecomm.nccl.cuda;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The order of what is enqueued on the device memory of this process, for all ranks in it: for each block of memory what stands last. Addresses of
 * all
 * devices are in one space.
 *
 * <p><b>Threads.</b> Any. Who asks for a place in the order of several blocks gets all of them in one step, so that no two wait for each other.
 */
final class CudaBlocks {

    static final CudaBlocks JVM = new CudaBlocks();

    private final NavigableMap<Long, Block> blocks = new TreeMap<>();

    private static final class Block {

        private long end;
        private int tensors;
        private final List<CudaHandle> last = new ArrayList<>();

        private Block(long end) {
            this.end = end;
        }

        /** {@return those that the next one stands behind} There are none then. */
        private List<CudaHandle> take() {
            List<CudaHandle> taken = CudaHandle.pending(last);
            last.clear();
            return taken;
        }
    }

    /** Notes one more tensor in a range, which may be in a block that is known, or touch some: then they are one from here on. */
    synchronized void add(long address, long byteSize) {
        long end = address + byteSize;
        Map.Entry<Long, Block> below = blocks.floorEntry(address);
        if (below != null && below.getValue().end >= end) {
            below.getValue().tensors++;
            return;
        }
        Block whole = new Block(end);
        whole.tensors = 1;
        long first = address;
        for (Map.Entry<Long, Block> each = blocks.lowerEntry(end);
                each != null && each.getValue().end > address;
                each = blocks.lowerEntry(end)) {
            Block part = each.getValue();
            first = Math.min(first, each.getKey());
            whole.end = Math.max(whole.end, part.end);
            whole.tensors += part.tensors;
            whole.last.addAll(part.last);
            blocks.remove(each.getKey());
        }
        blocks.put(first, whole);
    }

    /** {@return what stands last there, for who frees it; none if other tensors are there} One tensor less is. */
    synchronized List<CudaHandle> remove(long address) {
        Map.Entry<Long, Block> found = blocks.floorEntry(address);
        Block block = found.getValue();
        block.tensors--;
        if (block.tensors > 0) {
            return List.of();
        }
        blocks.remove(found.getKey());
        return block.take();
    }

    /** {@return whether a tensor has a place in the order, or needs none} */
    synchronized boolean isKnown(Tensor tensor) {
        return !isOrdered(tensor) || find(tensor) != null;
    }

    private @Nullable Block find(Tensor tensor) {
        long address = tensor.address();
        Map.Entry<Long, Block> found = blocks.floorEntry(address);
        return found == null || found.getValue().end < address + tensor.byteSize() ? null : found.getValue();
    }

    private Block block(Tensor tensor) {
        Block found = find(tensor);
        if (found == null) {
            throw new IllegalStateException("memory of a CUDA device is not known: tensor=" + tensor + ", address="
                    + Long.toHexString(tensor.address()) + "; it was freed, or is of another kind");
        }
        return found;
    }

    /** As {@link #join(List, List)}, for one. */
    void join(List<Tensor> tensors, CudaHandle handle) {
        join(List.of(tensors), List.of(handle));
    }

    /**
     * Puts some behind all that stands last on their tensors, and last there themselves; none of them stands behind another. Tensors of the host have
     * no order.
     *
     * @param tensors of each of the handles
     */
    synchronized void join(List<List<Tensor>> tensors, List<CudaHandle> handles) {
        List<List<Block>> touched = tensors.stream().map(this::touched).toList();
        Map<Block, List<CudaHandle>> before = new IdentityHashMap<>();
        for (int i = 0; i < handles.size(); i++) {
            Set<CudaHandle> others = new LinkedHashSet<>();
            touched.get(i).forEach(block -> others.addAll(before.computeIfAbsent(block, Block::take)));
            handles.get(i).standBehind(List.copyOf(others));
        }
        for (int i = 0; i < handles.size(); i++) {
            CudaHandle handle = handles.get(i);
            touched.get(i).forEach(block -> block.last.add(handle));
        }
    }

    private List<Block> touched(List<Tensor> tensors) {
        return tensors.stream()
                .filter(CudaBlocks::isOrdered)
                .map(this::block)
                .distinct()
                .toList();
    }

    private static boolean isOrdered(Tensor tensor) {
        return !tensor.device().equals(Device.CPU) && tensor.byteSize() > 0;
    }

    /** Puts beside what stands last at an address something that is on a stream already. */
    synchronized void addLast(long address, CudaHandle handle) {
        blocks.floorEntry(address).getValue().last.add(handle);
    }

    /** {@return what stands last on a tensor} It stays there. */
    synchronized List<CudaHandle> last(Tensor tensor) {
        return tensor.byteSize() == 0 ? List.of() : CudaHandle.pending(block(tensor).last);
    }

    /** {@return how many blocks are known} */
    synchronized int held() {
        return blocks.size();
    }
}
