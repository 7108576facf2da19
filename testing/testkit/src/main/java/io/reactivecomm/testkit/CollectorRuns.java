package io.reactivecomm.testkit;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLeaks;
import io.reactivecomm.TensorMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Runs of the collector, and of what frees the tensors that it finds, until a tensor has been found that was dropped just before. The order
 * in which those of one run are freed is open, so there are a few.
 */
final class CollectorRuns implements TensorMemory {

    private static final int RUNS = 3;
    /** Half a minute: on a machine with other work four seconds were once not enough for the thread that frees. */
    private static final int MOST_ATTEMPTS = 1500;

    private static final long ATTEMPT_MILLIS = 20;

    private final CountDownLatch found = new CountDownLatch(1);

    private CollectorRuns() {}

    /** Ends when what is unreachable now has been freed. */
    static void all() {
        for (int i = 0; i < RUNS; i++) {
            one();
        }
    }

    /** Ends when one of the unreachable has been freed: the rest of them may be freed later. */
    static void one() {
        CollectorRuns run = new CollectorRuns();
        run.drop();
        run.await();
    }

    /** Without a word. */
    private void drop() {
        TensorLeaks.Level before = TensorLeaks.level();
        TensorLeaks.watch(TensorLeaks.Level.OFF);
        Tensor.allocate(this, DType.INT8, 1);
        TensorLeaks.watch(before);
    }

    private void await() {
        for (int i = 0; i < MOST_ATTEMPTS && found.getCount() > 0; i++) {
            System.gc();
            if (isFound()) {
                return;
            }
        }
        throw new AssertionError("the collector does not find what is unreachable: attempts=" + MOST_ATTEMPTS
                + ", cleaners=" + cleaners());
    }

    /** {@return what the threads are at that free what has been found: one that is held holds up all} */
    private static String cleaners() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().contains("Cleaner")
                        || each.getKey().getName().equals("Reference Handler"))
                .map(each -> each.getKey().getName() + Arrays.toString(each.getValue()))
                .collect(Collectors.joining("; "));
    }

    private boolean isFound() {
        try {
            return found.await(ATTEMPT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the collector runs", e);
        }
    }

    @Override
    public MemorySegment take(long byteSize) {
        return Arena.ofAuto().allocate(byteSize, 64);
    }

    @Override
    public void giveBack(MemorySegment memory) {
        found.countDown();
    }
}
