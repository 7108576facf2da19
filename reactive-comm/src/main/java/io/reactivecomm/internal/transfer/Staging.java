package io.reactivecomm.internal.transfer;

import io.reactivecomm.internal.memory.WorkMemory;
import io.reactivecomm.spi.WarningLog;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Memory for pieces that wait to be folded, within a budget.
 *
 * <p>All memories of a piece are reserved together, so no fold waits for memory while it holds some. A fold that finds the budget spent
 * is told when there is room again, in the order of asking; nobody overtakes those who wait. Owned by the loop.
 */
final class Staging {

    private static final long ALIGNMENT = 64;

    /** A usual budget is sixteen of them. */
    private static final long SLAB_BYTES = 4 << 20;

    private static final Logger LOG = WarningLog.of(Staging.class);

    private final WorkMemory source;

    /** What the source gave; memories are cut from it, since to free each by itself would be to stop the JVM's threads for each. */
    private final Deque<WorkMemory.Block> slabs = new ArrayDeque<>();

    private final Map<Long, ArrayDeque<MemorySegment>> free = new HashMap<>();
    private final Set<Asker> waiting = new LinkedHashSet<>();
    private final long budget;
    private long used;
    private long slabBytes;

    /** What is left of a slab. */
    private MemorySegment uncut = MemorySegment.NULL;

    /** A fold, as what it waits for knows it. */
    interface Asker {

        /** There may be room now. */
        void roomIsFree();
    }

    /** @param budget bytes that may be in use */
    Staging(WorkMemory source, long budget) {
        this.source = source;
        this.budget = budget;
    }

    /**
     * {@return {@code n} memories of at least {@code bytes} each, or null if they would break the budget}
     * A request beyond the whole budget is met when nothing else is in use, so that every fold can go on some day.
     */
    MemorySegment @Nullable [] reserve(int n, long bytes, Asker asker) {
        long size = heldBytes(bytes);
        if (used > 0 && (used + n * size > budget || !waiting.isEmpty())) {
            waiting.add(asker);
            return null;
        }
        used += n * size;
        MemorySegment[] memories = new MemorySegment[n];
        for (int i = 0; i < n; i++) {
            MemorySegment memory = pool(size).poll();
            memories[i] = memory == null ? fresh(size) : memory;
        }
        return memories;
    }

    /** {@return what a memory of so many bytes takes of the budget} */
    static long heldBytes(long bytes) {
        return Long.highestOneBit(Math.max(ALIGNMENT, bytes) * 2 - 1);
    }

    /** {@return memory of any content: what is folded was written before} */
    private MemorySegment fresh(long size) {
        boolean fits = uncut.byteSize() >= size;
        MemorySegment slab = fits ? uncut : slab(size);
        MemorySegment rest = slab.asSlice(size);
        if (fits || rest.byteSize() > uncut.byteSize()) {
            uncut = rest;
        }
        return slab.asSlice(0, size);
    }

    /** {@return new memory, of at least that size, and about as much as there is already} */
    private MemorySegment slab(long size) {
        WorkMemory.Block slab = source.take(Math.max(size, Math.min(SLAB_BYTES, Long.highestOneBit(slabBytes))));
        if (slab == null) {
            slab = source.take(size);
        }
        if (slab == null) {
            throw new OutOfMemoryError("no memory for pieces that wait to be folded: bytes=" + size + ", used=" + used);
        }
        slabs.add(slab);
        slabBytes += slab.segment().byteSize();
        return slab.segment();
    }

    /** Takes memories back and lets those who wait try again. */
    void release(MemorySegment[] memories) {
        for (MemorySegment memory : memories) {
            used -= memory.byteSize();
            pool(memory.byteSize()).push(memory);
        }
        if (!waiting.isEmpty()) {
            List<Asker> askers = List.copyOf(waiting);
            waiting.clear();
            askers.forEach(Asker::roomIsFree);
        }
    }

    long usedBytes() {
        return used;
    }

    /** {@return what is left of the half that folds may take beyond their usual depth, all of them together} */
    long freeForDepth() {
        return Math.max(0, budget / 2 - used);
    }

    /** Frees all memory; links must not write into any of it any more, and no fold asks for more. Idempotent. */
    void close() {
        free.clear();
        uncut = MemorySegment.NULL;
        slabBytes = 0;
        for (WorkMemory.Block slab = slabs.poll(); slab != null; slab = slabs.poll()) {
            free(slab);
        }
    }

    /** What one slab fails of is no reason to keep the others. */
    private static void free(WorkMemory.Block slab) {
        try {
            slab.free();
        } catch (RuntimeException e) {
            LOG.warn(
                    "memory of pieces could not be freed: bytes={}",
                    slab.segment().byteSize(),
                    WarningLog.printable(e));
        }
    }

    private ArrayDeque<MemorySegment> pool(long size) {
        return free.computeIfAbsent(size, ignored -> new ArrayDeque<>());
    }
}
