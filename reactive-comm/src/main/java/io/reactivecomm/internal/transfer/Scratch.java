package io.reactivecomm.internal.transfer;

import io.reactivecomm.internal.memory.WorkMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scratch memory in blocks: for calls whose schedule needs some, and for pieces that are packed of several tensors.
 *
 * <p>Blocks are kept for the next call up to a bound, since a training step makes the same calls as the one before; what may be kept has a
 * power of two for its size, so that calls of about one size share blocks. Owned by the loop.
 */
final class Scratch {

    private static final long ALIGNMENT = 64;

    private final WorkMemory source;
    private final long keptBytesMost;
    private final Map<Long, ArrayDeque<Block>> free = new HashMap<>();
    private long keptBytes;
    private long usedBytes;
    private boolean closed;

    /** @param keptBytesMost memory that may wait for the next call */
    Scratch(WorkMemory source, long keptBytesMost) {
        this.source = source;
        this.keptBytesMost = keptBytesMost;
    }

    /** Memory in use, until it is given back. */
    static final class Block {

        private final Scratch pool;
        private final WorkMemory.Block memory;

        private Block(Scratch pool, WorkMemory.Block memory) {
            this.pool = pool;
            this.memory = memory;
        }

        MemorySegment memory() {
            return memory.segment();
        }

        /** Nobody uses it any more; called once. */
        void giveBack() {
            pool.giveBack(this);
        }
    }

    /** {@return a block of at least that size and of any content, or null if the machine has none, or the pool is closed} */
    @Nullable Block take(long bytes) {
        if (closed) {
            return null;
        }
        long size = bytes > keptBytesMost ? bytes : Long.highestOneBit(Math.max(ALIGNMENT, bytes) * 2 - 1);
        ArrayDeque<Block> kept = free.get(size);
        Block block = kept == null ? null : kept.poll();
        if (block != null) {
            keptBytes -= size;
            usedBytes += size;
            return block;
        }
        WorkMemory.Block memory = source.take(size);
        if (memory == null) {
            return null;
        }
        usedBytes += size;
        return new Block(this, memory);
    }

    private void giveBack(Block block) {
        long size = block.memory().byteSize();
        usedBytes -= size;
        if (closed || keptBytes + size > keptBytesMost) {
            block.memory.free();
        } else {
            keptBytes += size;
            free.computeIfAbsent(size, ignored -> new ArrayDeque<>()).push(block);
        }
    }

    long usedBytes() {
        return usedBytes;
    }

    /** Frees what waits for a next call; there is none. What is in use is freed when it is given back. Idempotent. */
    void close() {
        closed = true;
        free.values().forEach(blocks -> blocks.forEach(block -> block.memory.free()));
        free.clear();
        keptBytes = 0;
    }
}
