package io.reactivecomm.nccl.cuda;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import jcuda.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a device's moves, and the pinned blocks through which elements go between host and device: a bounded number, made when they are first
 * needed.
 * A move that needs more waits, on the thread of moves only, until the device has done with some; those behind it would have to wait in the stream,
 * too.
 *
 * <p><b>Threads.</b> That of moves; others may enqueue on the stream.
 */
final class CopyStream {

    /** What one piece of a move takes at most: 40 µs over a link of 50 GB/s, much more than its launch costs. */
    static final int BLOCK_BYTES = 2 << 20;

    private static final int MOST_BLOCKS = 4;

    private final CudaWorker worker;
    private final CudaStream stream;
    private final int blockBytes;
    private final Deque<Block> free = new ArrayDeque<>();
    private final List<Block> made = new ArrayList<>();

    /** A pinned block. */
    record Block(Pointer pointer, MemorySegment bytes) {}

    CopyStream(CudaWorker worker, int blockBytes) {
        this.blockBytes = blockBytes;
        this.worker = worker;
        this.stream = worker.stream();
    }

    /** {@return what a piece takes at most} */
    int blockBytes() {
        return blockBytes;
    }

    CudaStream stream() {
        return stream;
    }

    CudaWorker worker() {
        return worker;
    }

    /**
     * {@return a block that is free now}
     *
     * @throws CudaException if there is none, and none can be made; or the device has failed
     */
    Block take() {
        if (free.isEmpty() && made.size() < MOST_BLOCKS) {
            make();
        }
        worker.pollUntil(() -> !free.isEmpty() || stream.failure() != null);
        if (stream.failure() != null) {
            throw stream.failure();
        }
        return free.removeLast();
    }

    /** Where the system pins no more, as many are enough as there are. */
    private void make() {
        try {
            Pointer pointer = PinnedMemory.allocate(blockBytes);
            Block block = new Block(pointer, PinnedMemory.segment(pointer, blockBytes));
            made.add(block);
            free.add(block);
        } catch (CudaException e) {
            if (made.isEmpty()) {
                throw e;
            }
        }
    }

    void give(Block block) {
        free.addLast(block);
    }

    /** Tells when the device has done what is enqueued now; where that cannot be asked for, when it has nothing left to do. */
    void mark(Consumer<@Nullable CudaException> told) {
        try {
            stream.mark(told);
        } catch (CudaException e) {
            stream.whenIdle(ignored -> told.accept(e));
            throw e;
        }
    }

    void close() {
        made.forEach(block -> PinnedMemory.free(block.pointer));
        made.clear();
        free.clear();
    }
}
