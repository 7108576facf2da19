package io.reactivecomm.shm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Where payloads are copied that lie in memory of the process's own, for one peer to read them. Made as they are needed, up to a bound, so
 * a peer that reads slowly is not sent more.
 *
 * <p><b>Threads.</b> The loop.
 */
final class Copies {

    /** As many as a peer may have asked for at a time, and once more what it asked for ahead. */
    private static final int MOST = 8;

    /** From here on the peer is asked to give them back at once. */
    private static final int FEW = 2;

    private static final int LEAST_BYTES = 256 << 10;

    private final SharedHeap heap;
    private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();
    private int used;
    private boolean isFull;

    Copies(SharedHeap heap) {
        this.heap = heap;
    }

    /** {@return whether a payload can be copied, or need not be because there is no shared memory for it} */
    boolean hasRoom() {
        return isFull || used < MOST;
    }

    boolean areFew() {
        return used > MOST - FEW;
    }

    /** {@return memory that begins with a copy which the peer can read, or null if there is no room} */
    @Nullable MemorySegment of(MemorySegment payload) {
        MemorySegment room = used < MOST ? room(payload.byteSize()) : null;
        if (room == null) {
            return null;
        }
        used++;
        MemorySegment.copy(payload, 0, room, 0, payload.byteSize());
        return room;
    }

    private @Nullable MemorySegment room(long bytes) {
        MemorySegment kept = free.poll();
        if (kept != null && kept.byteSize() >= bytes) {
            return kept;
        }
        if (kept != null) {
            heap.giveBack(kept);
        }
        MemorySegment fresh = heap.take(Math.max(LEAST_BYTES, bytes));
        isFull = fresh == null;
        return fresh;
    }

    /** Takes back what {@link #of} returned. */
    void free(MemorySegment copy) {
        used--;
        free.push(copy);
    }

    /** Frees what the peer does not have, and leaves it the rest. */
    void close() {
        free.forEach(heap::giveBack);
        free.clear();
        heap.leave(used);
        used = 0;
    }
}
