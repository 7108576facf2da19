package io.reactivecomm;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The life of one piece of memory: how many calls borrow it, whether it is closed, and who waits for its release. A
 * tensor and its slices share one.
 *
 * <p><b>State.</b> One atomic int: the sign bit is <i>closed</i>, the other bits count the borrows.
 * <pre>
 *                 borrow / giveBack
 *   open, 0  &lt;----------------------&gt;  open, n
 *      | close                            | close
 *      v                                  v
 *   closed, 0: memory is freed  &lt;---  closed, n       (giveBack only: a closed tensor is not borrowed again, unless it is kept)
 * </pre>
 *
 * <p><b>Keeping.</b> A composite call borrows a tensor for the calls inside, too, which it has still to make: as long as it is <i>kept</i>, it may
 * be borrowed though it is closed. Whoever keeps it borrows it, so it is not freed meanwhile.
 *
 * <p>Exactly one transition enters <i>closed, 0</i>, and the thread that makes it frees the memory.
 *
 * <p><b>Waiters.</b> A waiter may complete only if at some moment after its subscription nothing borrowed the memory,
 * even though borrows may come and go all the while. Waiters are therefore a stack of immutable nodes. A subscriber
 * pushes its node and then looks at the count. Whoever wakes notes the top of the stack first, then sees the count at
 * zero, and takes the stack only if the top is still the one it noted: so each node that it wakes was pushed before
 * that zero. A node pushed too late for the last {@code giveBack} is woken by its own subscriber, which sees the zero
 * itself. The stack is empty until somebody waits.
 *
 * <p><b>Threads.</b> Any.
 */
final class TensorLife {

    private static final int CLOSED = Integer.MIN_VALUE;
    private static final int BORROWS = Integer.MAX_VALUE;

    private final AtomicInteger state = new AtomicInteger();
    /** How many borrows keep it for others. */
    private final AtomicInteger keeps = new AtomicInteger();

    private final AtomicReference<@Nullable Waiter> waiters = new AtomicReference<>();
    private final @Nullable NativeMemory memory;

    /**
     * Starts a life, open and not borrowed.
     *
     * @param memory what is freed at the end; null if somebody else owns it
     */
    TensorLife(@Nullable NativeMemory memory) {
        this.memory = memory;
    }

    boolean isClosed() {
        return state.get() < 0;
    }

    /** {@return whether the memory is gone: closed, and borrowed by nobody} */
    boolean isFreed() {
        return state.get() == CLOSED;
    }

    /** {@return false if closed, and not kept} */
    boolean borrow() {
        int seen;
        do {
            seen = state.get();
            if (seen < 0 && (seen == CLOSED || keeps.get() == 0)) {
                return false;
            }
            if ((seen & BORROWS) == BORROWS) {
                throw new IllegalStateException(
                        "cannot borrow a tensor: borrows=" + (seen & BORROWS) + "; pair each borrow() with one giveBack()");
            }
        } while (!state.compareAndSet(seen, seen + 1));
        return true;
    }

    /** Borrows it so that others may, also after it is closed. {@return false if it cannot be borrowed} */
    boolean keep() {
        boolean isBorrowed = borrow();
        if (isBorrowed) {
            keeps.incrementAndGet();
        }
        return isBorrowed;
    }

    /** Ends one {@link #keep()}. */
    void unkeep() {
        keeps.decrementAndGet();
        giveBack();
    }

    /**
     * Ends one borrow; the last one frees closed memory and wakes the waiters.
     *
     * @throws IllegalStateException if nothing borrows the memory
     */
    void giveBack() {
        int seen;
        do {
            seen = state.get();
            if ((seen & BORROWS) == 0) {
                throw new IllegalStateException(
                        "cannot give back a tensor: borrows=0; pair each giveBack() with one successful borrow()");
            }
        } while (!state.compareAndSet(seen, seen - 1));
        if ((seen & BORROWS) == 1) {
            letGo(seen < 0);
        }
    }

    /** Refuses further borrows, and frees the memory now or with the last {@link #giveBack()}. Idempotent. */
    void close() {
        int seen = state.getAndUpdate(each -> each | CLOSED);
        if (seen >= 0 && memory != null) {
            memory.closed();
        }
        if (seen == 0) {
            free();
        }
    }

    /** {@return a Mono that completes once nothing borrows the memory; at once if nothing does} */
    Mono<Void> released() {
        return Mono.defer(() -> {
            if (isUnborrowed()) {
                return Mono.empty();
            }
            Sinks.Empty<Void> signal = Sinks.empty();
            waiters.updateAndGet(next -> new Waiter(signal, next));
            wakeIfUnborrowed();
            return signal.asMono();
        });
    }

    private boolean isUnborrowed() {
        return (state.get() & BORROWS) == 0;
    }

    private void letGo(boolean closed) {
        try {
            if (closed) {
                free();
            }
        } finally {
            wakeIfUnborrowed();
        }
    }

    private void free() {
        if (memory != null) {
            memory.free();
        }
    }

    private void wakeIfUnborrowed() {
        Waiter top = waiters.get();
        while (top != null && isUnborrowed()) {
            if (waiters.compareAndSet(top, null)) {
                wakeAll(top);
                return;
            }
            top = waiters.get();
        }
    }

    /** One that dies of an error keeps no other from being woken. */
    private static void wakeAll(Waiter top) {
        Throwable failed = null;
        for (Waiter waiter = top; waiter != null; waiter = waiter.next) {
            try {
                waiter.signal.tryEmitEmpty();
            } catch (RuntimeException | Error e) {
                failed = failed instanceof Error ? failed : e;
            }
        }
        if (failed instanceof Error worse) {
            throw worse;
        } else if (failed instanceof RuntimeException worse) {
            throw worse;
        }
    }

    private record Waiter(
            Sinks.Empty<Void> signal, @Nullable Waiter next) {}
}
