package io.reactivecomm.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scratch memory for calls whose schedule needs some, one block each.
 *
 * <p>Blocks are kept for the next call up to a bound, since a training step makes the same calls as the one before; what may be kept has a
 * power of two for its size, so that calls of about one size share blocks. Owned by the loop.
 */
final class Scratch {

    private static final long ALIGNMENT = 64;

    private final long keptBytesMost;
    private final Map<Long, ArrayDeque<Block>> free = new HashMap<>();
    private long keptBytes;

    /** @param keptBytesMost memory that may wait for the next call */
    Scratch(long keptBytesMost) {
        this.keptBytesMost = keptBytesMost;
    }

    /** Memory of one call, with what frees it. */
    record Block(Arena arena, MemorySegment memory) {}

    /** {@return a block of at least that size, or null if the machine has none} */
    @Nullable Block take(long bytes) {
        long size = bytes > keptBytesMost ? bytes : Long.highestOneBit(Math.max(ALIGNMENT, bytes) * 2 - 1);
        ArrayDeque<Block> kept = free.get(size);
        Block block = kept == null ? null : kept.poll();
        if (block != null) {
            keptBytes -= size;
            return block;
        }
        Arena arena = Arena.ofShared();
        try {
            return new Block(arena, arena.allocate(size, ALIGNMENT));
        } catch (OutOfMemoryError e) {
            arena.close();
            return null;
        }
    }

    void giveBack(Block block) {
        long size = block.memory.byteSize();
        if (keptBytes + size > keptBytesMost) {
            block.arena.close();
        } else {
            keptBytes += size;
            free.computeIfAbsent(size, ignored -> new ArrayDeque<>()).push(block);
        }
    }

    /** Frees what waits for a next call. */
    void close() {
        free.values().forEach(blocks -> blocks.forEach(block -> block.arena.close()));
        free.clear();
        keptBytes = 0;
    }
}
