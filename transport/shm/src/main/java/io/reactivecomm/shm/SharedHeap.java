package io.reactivecomm.shm;

import io.reactivecomm.CommException;
import io.reactivecomm.TensorMemory;
import io.reactivecomm.spi.WarningLog;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Memory of a rank that the others of its host can read: tensors, and copies of what they are to read. It hands out whole pages, which are
 * reserved when they are taken and go back to the system when they are given back. So what is taken can be touched, and is zero. What a
 * tensor's user sees of it is not this file's segment but one that ends with the tensor. So nobody keeps a way to pages that are another's
 * by then.
 *
 * <p>The file lives until it is {@linkplain #close closed} and the last memory has been given back.
 *
 * <p><b>Threads.</b> Any. What the system takes long for, it does for the pages of one caller; others take and give back meanwhile.
 */
final class SharedHeap implements TensorMemory, AutoCloseable {

    private static final Logger LOG = WarningLog.of(SharedHeap.class);
    private static final long PAGE_BYTES = 4096;
    private static final long NONE = -1;

    private final SharedFile file;
    /** Free pages: where they begin, and how many bytes; neighbours are one. */
    private final TreeMap<Long, Long> free = new TreeMap<>();

    private int taken;
    private boolean closed;
    private final AtomicBoolean toldThatFull = new AtomicBoolean();

    SharedHeap(SharedFile file, long from, long bytes) {
        this.file = file;
        free.put(from, bytes);
    }

    @Override
    public @Nullable MemorySegment take(long byteSize) {
        long bytes = pages(byteSize);
        long from = bytes < byteSize ? NONE : takePages(bytes);
        if (from == NONE) {
            return null;
        }
        if (!isReserved(from, bytes)) {
            giveBackPages(from, bytes);
            return null;
        }
        return file.memory().asSlice(from, byteSize);
    }

    /** {@return where so many bytes are that were free, or {@link #NONE}; nothing is behind them yet} */
    private synchronized long takePages(long bytes) {
        long from = closed ? NONE : place(bytes);
        if (from != NONE) {
            long there = Objects.requireNonNull(free.remove(from));
            if (there > bytes) {
                free.put(from + bytes, there - bytes);
            }
            taken++;
        }
        return from;
    }

    /** {@return the bytes of the pages that so many need, at least one page} */
    private static long pages(long bytes) {
        return Math.max(1, (bytes + PAGE_BYTES - 1) / PAGE_BYTES) * PAGE_BYTES;
    }

    /** {@return where so many bytes are free, or {@link #NONE}; not the map's own entry, which is another's once something is removed} */
    private long place(long bytes) {
        for (Map.Entry<Long, Long> each : free.entrySet()) {
            if (each.getValue() >= bytes) {
                return each.getKey();
            }
        }
        return NONE;
    }

    private boolean isReserved(long from, long bytes) {
        try {
            file.reserve(from, bytes);
            return true;
        } catch (IOException e) {
            if (toldThatFull.compareAndSet(false, true)) {
                LOG.warn(
                        "shared memory is full, tensors and copies are in the process's own from now on: bytes={}, cause={}",
                        bytes,
                        CommException.textOf(e));
            }
            return false;
        }
    }

    @Override
    public void giveBack(MemorySegment memory) {
        long from = offset(memory);
        long bytes = pages(memory.byteSize());
        // Before anyone can take them. The file stays, which counts them as taken.
        file.release(from, bytes);
        giveBackPages(from, bytes);
    }

    private void giveBackPages(long from, long bytes) {
        if (isLastOf(from, bytes)) {
            file.close();
        }
    }

    /**
     * Counts one memory as given back, but leaves the bytes where they are: another rank may still read them. They are gone when nobody
     * maps the file.
     */
    void leave() {
        boolean isLast;
        synchronized (this) {
            taken--;
            isLast = closed && taken == 0;
        }
        if (isLast) {
            file.close();
        }
    }

    /** Makes pages free. {@return whether nobody needs the file any more} */
    private synchronized boolean isLastOf(long givenBack, long byteSize) {
        long from = givenBack;
        long bytes = byteSize;
        Map.Entry<Long, Long> before = free.floorEntry(from);
        if (before != null && before.getKey() + before.getValue() == from) {
            free.remove(before.getKey());
            from = before.getKey();
            bytes += before.getValue();
        }
        Long after = free.remove(from + bytes);
        free.put(from, after == null ? bytes : bytes + after);
        taken--;
        return closed && taken == 0;
    }

    /** {@return whether others can read that memory} */
    boolean has(MemorySegment memory) {
        long offset = offset(memory);
        return memory.isNative()
                && offset >= 0
                && offset + memory.byteSize() <= file.memory().byteSize();
    }

    /** {@return where that memory is in the file} */
    long offset(MemorySegment memory) {
        return memory.address() - file.memory().address();
    }

    /** Hands out nothing more. Idempotent. */
    @Override
    public void close() {
        boolean isLast;
        synchronized (this) {
            isLast = !closed && taken == 0;
            closed = true;
        }
        if (isLast) {
            file.close();
        }
    }
}
