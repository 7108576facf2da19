package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.spi.engine.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A copy of device tensors in host memory, for an MPI library that does not accept device addresses. The tensors that a call reads are copied down before its
 * plan is made. Those that it writes are copied up afterwards. {@link io.reactivecomm.device.DeviceMemory#move} makes both copies in pieces through its pinned blocks,
 * after the work that is already enqueued on the tensors.
 *
 * <p>Adjacent ranges of the device are adjacent in the copy, and tensors that share memory share it there. So an in-place call stays in place, and rows stay
 * contiguous.
 *
 * <pre>
 *   device  …│ a     │ b  │……………│ c   │……      a and b are adjacent
 *   host     │ a     │ b  │pad│ c   │           c begins at the same offset in 64 bytes
 * </pre>
 */
final class StagedMemory extends DeviceWork {

    private static final long LINE_BYTES = 64;

    private final List<Tensor> writes;
    /** The offset of each device range in the copy, by the range's address. */
    private final NavigableMap<Long, Long> starts = new TreeMap<>();

    private final Tensor copy;
    /** Guarded by this. */
    private boolean isGivenUp;

    private StagedMemory(RankMemory memory, Collective call, int rank) {
        super(memory, call);
        this.writes = full(call.writes(rank));
        NavigableMap<Long, Long> ranges = ranges(full(call.tensors()));
        this.copy = Tensor.allocate(DType.UINT8, place(ranges));
    }

    /** Begins to copy down the tensors that a rank of the group reads. */
    static StagedMemory of(RankMemory memory, Collective call, int rank) {
        StagedMemory staged = new StagedMemory(memory, call, rank);
        boolean isBegun = false;
        try {
            List<Tensor> reads = full(call.sources(rank));
            staged.follow(reads);
            staged.enqueued(memory.move(staged.down(reads)));
            isBegun = true;
            return staged;
        } finally {
            if (!isBegun) {
                staged.free();
            }
        }
    }

    private static List<Tensor> full(List<Tensor> tensors) {
        return tensors.stream().filter(tensor -> tensor.byteSize() > 0).toList();
    }

    /** {@return the ranges that tensors cover: the end of each by its begin} Overlapping tensors make one range. */
    private static NavigableMap<Long, Long> ranges(List<Tensor> tensors) {
        NavigableMap<Long, Long> ranges = new TreeMap<>();
        for (Tensor tensor : tensors.stream()
                .sorted(Comparator.comparingLong(Tensor::address))
                .toList()) {
            long end = tensor.address() + tensor.byteSize();
            Map.Entry<Long, Long> last = ranges.lastEntry();
            if (last != null && tensor.address() < last.getValue()) {
                ranges.put(last.getKey(), Math.max(last.getValue(), end));
            } else {
                ranges.put(tensor.address(), end);
            }
        }
        return ranges;
    }

    /** Assigns each range its offset. {@return the size of the copy in bytes} */
    private long place(NavigableMap<Long, Long> ranges) {
        long next = 0;
        long endBefore = 0;
        for (Map.Entry<Long, Long> range : ranges.entrySet()) {
            if (range.getKey() != endBefore) {
                next = Math.ceilDiv(next, LINE_BYTES) * LINE_BYTES + range.getKey() % LINE_BYTES;
            }
            starts.put(range.getKey(), next);
            next += range.getValue() - range.getKey();
            endBefore = range.getValue();
        }
        return next;
    }

    /** By ranges, because moves of one list may not write the same bytes twice. */
    private List<Move> down(List<Tensor> reads) {
        List<Move> moves = new ArrayList<>();
        ranges(reads).forEach((from, end) -> moves.add(Move.copy(there(from, end - from), here(from, end - from))));
        return moves;
    }

    private Tensor here(long address, long bytes) {
        Map.Entry<Long, Long> range = starts.floorEntry(address);
        return copy.slice(range.getValue() + address - range.getKey(), bytes);
    }

    @Override
    public MemorySegment at(Tensor tensor) {
        return tensor.device().equals(Device.CPU)
                ? tensor.segment()
                : here(tensor.address(), tensor.byteSize()).segment();
    }

    @Override
    public Tensor scratch(long bytes) {
        return HOST.scratch(bytes);
    }

    @Override
    public void copy(MemorySegment from, MemorySegment to) {
        HOST.copy(from, to);
    }

    @Override
    public synchronized void finish() {
        if (!writes.isEmpty() && !isGivenUp) {
            enqueued(memory().move(writes.stream()
                    .map(tensor -> Move.copy(
                            here(tensor.address(), tensor.byteSize()), tensor.view(DType.UINT8, tensor.byteSize())))
                    .toList()));
        }
    }

    /** MPI accesses the copy only, so the tensors do not wait for MPI. */
    @Override
    public synchronized Handle giveUp(Handle hands) {
        isGivenUp = true;
        return end();
    }

    @Override
    public void give(Runnable calls) {
        calls.run();
    }

    @Override
    void close() {
        super.close();
        copy.close();
    }
}
