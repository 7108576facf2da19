package io.reactivecomm.engine;

import java.lang.foreign.Arena;
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

    private final long keptBytesMost;
    private final Map<Long, ArrayDeque<Block>> free = new HashMap<>();
    private long keptBytes;
    private long usedBytes;

    /** @param keptBytesMost memory that may wait for the next call */
    Scratch(long keptBytesMost) {
        this.keptBytesMost = keptBytesMost;
    }

    /** Memory in use, until it is given back. */
    static final class Block {

        private final Scratch pool;
        private final Arena arena;
        private final MemorySegment memory;

        private Block(Scratch pool, Arena arena, MemorySegment memory) {
            this.pool = pool;
            this.arena = arena;
            this.memory = memory;
        }

        MemorySegment memory() {
            return memory;
        }

        /** Nobody uses it any more; called once. */
        void giveBack() {
            pool.giveBack(this);
        }
    }

    /** {@return a block of at least that size, or null if the machine has none} */
    @Nullable Block take(long bytes) {
        long size = bytes > keptBytesMost ? bytes : Long.highestOneBit(Math.max(ALIGNMENT, bytes) * 2 - 1);
        ArrayDeque<Block> kept = free.get(size);
        Block block = kept == null ? null : kept.poll();
        if (block != null) {
            keptBytes -= size;
            usedBytes += size;
            return block;
        }
        Arena arena = Arena.ofShared();
        try {
            Block fresh = new Block(this, arena, arena.allocate(size, ALIGNMENT));
            usedBytes += size;
            return fresh;
        } catch (OutOfMemoryError e) {
            arena.close();
            return null;
        }
    }

    private void giveBack(Block block) {
        long size = block.memory.byteSize();
        usedBytes -= size;
        if (keptBytes + size > keptBytesMost) {
            block.arena.close();
        } else {
            keptBytes += size;
            free.computeIfAbsent(size, ignored -> new ArrayDeque<>()).push(block);
        }
    }

    long usedBytes() {
        return usedBytes;
    }

    /** Frees what waits for a next call. */
    void close() {
        free.values().forEach(blocks -> blocks.forEach(block -> block.arena.close()));
        free.clear();
        keptBytes = 0;
    }
}
