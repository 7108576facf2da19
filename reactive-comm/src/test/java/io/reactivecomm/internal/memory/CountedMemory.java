package io.reactivecomm.internal.memory;

import io.reactivecomm.TensorMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory for tensors that counts what is given back, and has the collector run until something is. */
public final class CountedMemory implements TensorMemory {

    /** Half a minute: on a busy machine the thread that frees is late. */
    private static final int MOST_COLLECTIONS = 1500;

    private final AtomicInteger givenBack = new AtomicInteger();
    private final Semaphore news = new Semaphore(0);

    @Override
    public MemorySegment take(long byteSize) {
        return Arena.ofAuto().allocate(byteSize, 64);
    }

    @Override
    public void giveBack(MemorySegment memory) {
        givenBack.incrementAndGet();
        news.release();
    }

    public int givenBack() {
        return givenBack.get();
    }

    /** {@return whether so much is given back within a bounded number of collections} */
    public boolean isGivenBack(int count) {
        for (int i = 0; i < MOST_COLLECTIONS && givenBack.get() < count; i++) {
            System.gc();
            awaitNews();
        }
        return givenBack.get() >= count;
    }

    private void awaitNews() {
        try {
            news.tryAcquire(20, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Has the collector find everything that is unreachable now, for certain: an array that was made later is among it. */
    public static void collectAll() {
        for (int i = 0; i < 3; i++) {
            CountedMemory later = new CountedMemory();
            drop(later);
            if (!later.isGivenBack(1)) {
                throw new AssertionError("the collector does not find what is unreachable");
            }
        }
    }

    private static void drop(CountedMemory memory) {
        NativeMemory.allocate(memory, 1, null);
    }
}
