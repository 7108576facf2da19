package io.reactivecomm.kernel;

import io.reactivecomm.internal.base.OwnThreads;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Knowledge of whether a loop over vectors has been compiled.
 *
 * <p>Until it is, the JVM makes an object of each lane of each vector. A piece of 256 KiB takes 80 ms there, for which the same loop
 * without vectors takes less than five. A loop of a rank cannot be held up for that long. So who asks first has the loop run on memory of
 * its own, on another thread, until it is faster than the one without vectors. So long it does without it. Both give the same bits. The
 * first calls come to vectors after some tenths of a second, as they would if they compiled them themselves. Where the compiler that knows
 * vectors is turned off, they never do.
 *
 * <p>Each has its turn, and then the next: a loop that never becomes fast keeps none waiting that was asked for later.
 *
 * <p><b>Threads.</b> Any; what is warmed up is warmed up on one thread for the whole JVM, which ends when there is nothing to do.
 */
public final class Warmup {

    /** The same work on vectors and without, on memory that is nobody's. */
    public interface Trial {

        /** Does it by the loop that may not be compiled yet. */
        void onVectors();

        /** Does it by the loop that serves until then. */
        void plainly();
    }

    /**
     * More than the second compiler waits for. Both are called that often before they are compared: what is compiled later is slower
     * meanwhile.
     */
    private static final int CALLS = 1_000;

    /** Of those, in a turn. */
    private static final int CALLS_A_TURN = 100;

    /** Calls in a turn that compares; the fastest counts, others may have been kept from their core. */
    private static final int TIMES = 8;

    /** An eighth faster is faster: compiled vectors are several times that, and vectors that are not are a hundred times slower. */
    private static final int MARGIN = 8;

    /** Once may be chance. */
    private static final int WINS = 2;

    private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** What keeps the next from its turn at most. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** What one may cost a core: waiting for the second compiler costs a quarter of that on a machine that is not busy. */
    private static final long WORK_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Questions between two attempts to begin. */
    private static final int ASKS = 1_000;

    private static final ThreadPoolExecutor THREAD = OwnThreads.one("rcomm-kernels");

    private final Supplier<Trial> making;
    private final ThreadPoolExecutor thread;
    private final AtomicInteger asks = new AtomicInteger();
    private volatile boolean begun;
    private volatile boolean warm;

    // From here on the thread's own.
    private @Nullable Trial trial;
    private int calls;
    private int wins;
    private long workNanos;
    private long lookAt;

    /** @param making makes what is tried, on the thread that tries it: its classes are loaded there, too */
    public Warmup(Supplier<Trial> making) {
        this(making, THREAD);
    }

    /** @param thread one at most, on which it is tried */
    Warmup(Supplier<Trial> making, ThreadPoolExecutor thread) {
        this.making = making;
        this.thread = thread;
    }

    /** {@return whether the loop is compiled; if not, it will be} */
    public boolean isWarm() {
        if (!warm && !begun && asks.getAndIncrement() % ASKS == 0) {
            begin();
        }
        return warm;
    }

    private void begin() {
        begun = true;
        try {
            thread.execute(this::turn);
        } catch (OutOfMemoryError e) {
            // The system has no thread now. That ends no rank: its folds go without vectors.
            begun = false;
        }
    }

    private void turn() {
        try {
            Trial tried = trial == null ? making.get() : trial;
            trial = tried;
            if (isDue()) {
                tryOut(tried, calls < CALLS ? CALLS_A_TURN : TIMES);
            }
        } catch (OutOfMemoryError e) {
            trial = null;
            begun = false;
            return;
        }
        if (warm || workNanos > WORK_NANOS) {
            trial = null;
        } else {
            thread.execute(this::turn);
        }
    }

    private boolean isDue() {
        long left = calls < CALLS ? 0 : lookAt - System.nanoTime();
        if (left > 0) {
            LockSupport.parkNanos(Math.min(left, REST_NANOS));
        }
        return left <= REST_NANOS;
    }

    private void tryOut(Trial tried, int times) {
        long onVectors = nanos(tried::onVectors, times);
        long plainly = nanos(tried::plainly, times);
        boolean isFaster = calls >= CALLS && onVectors + onVectors / MARGIN < plainly;
        wins = isFaster ? wins + 1 : 0;
        warm = wins >= WINS;
        calls += times;
        workNanos += times * (onVectors + plainly);
        lookAt = System.nanoTime() + BETWEEN_LOOKS_NANOS;
    }

    private static long nanos(Runnable work, int times) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < times; i++) {
            long begun = System.nanoTime();
            work.run();
            least = Math.min(least, System.nanoTime() - begun);
        }
        return least;
    }
}
