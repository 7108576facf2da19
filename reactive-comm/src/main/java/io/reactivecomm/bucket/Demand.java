package io.reactivecomm.bucket;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;

/**
 * Turns what is asked of a step into what the step asks of the backward pass.
 *
 * <p>As long as more is wanted than results were handed out, gradients are asked for: as many as are wanted, and as many again whenever all
 * of those have come. Buffers, buckets and other ranks have no say in it. So while anything is wanted here every bucket becomes whole here,
 * and once nothing is wanted no more comes than was asked for.
 *
 * <p><b>Threads.</b> Any. Whoever changes a count looks at all of them afterwards, so the last one to change any sees all.
 */
final class Demand {

    private static final long UNLIMITED = Long.MAX_VALUE;

    private final AtomicLong wanted = new AtomicLong();
    private final AtomicLong handedOut = new AtomicLong();
    /** Asked for, and not yet here. */
    private final AtomicLong outstanding = new AtomicLong();

    private volatile @Nullable Subscription source;

    /** Begins to ask. */
    void of(Subscription subscription) {
        source = subscription;
        ask();
    }

    /** The subscriber wants so many more. */
    void want(long n) {
        if (n > 0) {
            wanted.accumulateAndGet(n, Operators::addCap);
            ask();
        }
    }

    /** A gradient has come. */
    void arrived() {
        outstanding.updateAndGet(n -> n == UNLIMITED || n == 0 ? n : n - 1);
        ask();
    }

    /** So many results go to the subscriber. */
    void handOut(int n) {
        handedOut.addAndGet(n);
    }

    private void ask() {
        Subscription from = source;
        long total = wanted.get();
        long unmet = total == UNLIMITED ? UNLIMITED : total - handedOut.get();
        if (from != null && unmet > 0 && outstanding.compareAndSet(0, unmet)) {
            from.request(unmet);
        }
    }
}
