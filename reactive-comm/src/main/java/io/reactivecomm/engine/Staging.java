package io.reactivecomm.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory for pieces that wait to be folded, within a budget.
 *
 * <p>All memories of a piece are reserved together, so no fold waits for memory while it holds some. A fold that finds the budget spent
 * is told when there is room again, in the order of asking; nobody overtakes those who wait. Owned by the loop.
 */
final class Staging {

    private static final long ALIGNMENT = 64;

    private final Arena arena = Arena.ofShared();
    private final Map<Long, ArrayDeque<MemorySegment>> free = new HashMap<>();
    private final Set<FoldRun> waiting = new LinkedHashSet<>();
    private final long budget;
    private long used;

    Staging(long budget) {
        this.budget = budget;
    }

    /**
     * {@return {@code n} memories of at least {@code bytes} each, or null if they would break the budget}
     * A request beyond the whole budget is met when nothing else is in use, so that every fold can go on some day.
     */
    MemorySegment @Nullable [] reserve(int n, long bytes, FoldRun asker) {
        long size = Long.highestOneBit(Math.max(ALIGNMENT, bytes) * 2 - 1);
        if (used > 0 && (used + n * size > budget || !waiting.isEmpty())) {
            waiting.add(asker);
            return null;
        }
        used += n * size;
        MemorySegment[] memories = new MemorySegment[n];
        for (int i = 0; i < n; i++) {
            MemorySegment memory = pool(size).poll();
            memories[i] = memory == null ? arena.allocate(size, ALIGNMENT) : memory;
        }
        return memories;
    }

    /** Takes memories back and lets those who wait try again. */
    void release(MemorySegment[] memories) {
        for (MemorySegment memory : memories) {
            used -= memory.byteSize();
            pool(memory.byteSize()).push(memory);
        }
        if (!waiting.isEmpty()) {
            List<FoldRun> askers = List.copyOf(waiting);
            waiting.clear();
            for (FoldRun asker : askers) {
                asker.advance();
                asker.call.check();
            }
        }
    }

    long usedBytes() {
        return used;
    }

    /** Frees all memory; links must not write into any of it any more. */
    void close() {
        arena.close();
    }

    private ArrayDeque<MemorySegment> pool(long size) {
        return free.computeIfAbsent(size, ignored -> new ArrayDeque<>());
    }
}
