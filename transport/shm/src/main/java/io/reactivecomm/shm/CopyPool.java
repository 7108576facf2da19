package io.reactivecomm.shm;

import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The pool of copies for payloads that lie in memory of the process's own, for peers to read them. What goes to several peers is copied
 * once for all that are to read it at a time.
 *
 * <p><b>Threads.</b> The loop.
 */
final class CopyPool implements AutoCloseable {

    private static final int LEAST_BYTES = 256 << 10;

    private final SharedHeap heap;
    private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();
    /** Those of which another peer may be sent the same, the latest first. */
    private final ArrayDeque<Copy> shared = new ArrayDeque<>();

    CopyPool(SharedHeap heap) {
        this.heap = heap;
    }

    /** A payload's copy, which one peer or several may read. */
    static final class Copy {

        private final MemorySegment memory;
        private final Frame.Data original;
        private int readers;
        private boolean abandoned;

        private Copy(MemorySegment memory, Frame.Data original) {
            this.memory = memory;
            this.original = original;
        }

        private boolean isOf(Frame.Data data) {
            return original.content() == data.content()
                    && original.payload().byteSize() == data.payload().byteSize()
                    && original.payload().equals(data.payload());
        }
    }

    /** {@return what peers can read in place} */
    SharedHeap heap() {
        return heap;
    }

    /** {@return where a peer finds that copy} */
    long offset(Copy copy) {
        return heap.offset(copy.memory);
    }

    /** {@return a copy for one more reader, or null if there is no shared memory for it} */
    @Nullable Copy of(Frame.Data data) {
        Copy copy = shared(data);
        if (copy == null) {
            copy = made(data);
        }
        if (copy != null) {
            copy.readers++;
        }
        return copy;
    }

    private @Nullable Copy shared(Frame.Data data) {
        if (data.content() != null) {
            for (Copy copy : shared) {
                if (copy.isOf(data)) {
                    return copy;
                }
            }
        }
        return null;
    }

    private @Nullable Copy made(Frame.Data data) {
        MemorySegment room = room(data.payload().byteSize());
        if (room == null) {
            return null;
        }
        boolean isCopied = false;
        try {
            MemorySegment.copy(data.payload(), 0, room, 0, data.payload().byteSize());
            isCopied = true;
        } finally {
            if (!isCopied) {
                heap.giveBack(room);
            }
        }
        Copy copy = new Copy(room, data);
        if (data.content() != null) {
            shared.push(copy);
        }
        return copy;
    }

    private @Nullable MemorySegment room(long bytes) {
        MemorySegment kept = free.poll();
        if (kept != null && kept.byteSize() >= bytes) {
            return kept;
        }
        if (kept != null) {
            heap.giveBack(kept);
        }
        return heap.take(Math.max(LEAST_BYTES, bytes));
    }

    /** A reader has read it. */
    void returned(Copy copy) {
        copy.readers--;
        if (copy.readers > 0) {
            return;
        }
        shared.remove(copy);
        if (copy.abandoned) {
            heap.leave();
        } else {
            free.push(copy.memory);
        }
    }

    /** A reader is gone, and may read it all the same: nothing else is ever written there. */
    void abandoned(Copy copy) {
        copy.abandoned = true;
        returned(copy);
    }

    /** Frees what is kept for the next copies; all links have ended before, so none is out. */
    @Override
    public void close() {
        free.forEach(heap::giveBack);
        free.clear();
    }
}
