package io.reactivecomm;

import io.reactivecomm.internal.base.Thrown;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The life of one piece of memory: how many calls borrow it, whether it is closed, and who waits for its release. A
 * tensor and its slices share one, and hand {@link Tensor#borrow()} and its like on to it.
 *
 * <p>For authors of tensors in memory of their own kind. Those of a device's memory get all of it from {@link Tensor#onDevice}.
 *
 * <pre>{@code
 * TensorLife life = new TensorLife(() -> pool.giveBack(block));      // in each tensor of the block: its whole, and its slices
 * if (life.borrow()) {                                               // an engine, for one call
 *     ...
 *     life.giveBack();                                               // frees the block, if it was closed meanwhile and nothing else borrows it
 * }
 * }</pre>
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
 * <p><b>Claims.</b> The claims of calls in flight are registered here and compared by the bytes that they share: {@link TensorClaim}.
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
public final class TensorLife {

    private static final int CLOSED = Integer.MIN_VALUE;
    private static final int BORROWS = Integer.MAX_VALUE;

    private final AtomicInteger state = new AtomicInteger();
    /** How many borrows keep it for others. */
    private final AtomicInteger keeps = new AtomicInteger();

    /** Null, the one {@link TensorClaim} of the memory, or its {@link ClaimedMemory}. */
    private static final AtomicReferenceFieldUpdater<TensorLife, @Nullable Object> CLAIMS =
            AtomicReferenceFieldUpdater.newUpdater(TensorLife.class, Object.class, "claims");

    private volatile @Nullable Object claims;

    private final AtomicReference<@Nullable Waiter> waiters = new AtomicReference<>();
    private final Runnable closing;
    private final Runnable freeing;

    /**
     * Starts a life, open and not borrowed.
     *
     * @param freeing frees the memory: runs once, on the thread that closes it or, if calls borrow it then, on the one that lets go last. That may be a
     *     loop: it does not block
     */
    public TensorLife(Runnable freeing) {
        this(() -> {}, freeing);
    }

    /**
     * Starts a life, open and not borrowed, with an action for its close.
     *
     * @param closing runs once, as it is closed, and before {@code freeing}
     * @param freeing frees the memory, as for the other constructor
     */
    public TensorLife(Runnable closing, Runnable freeing) {
        Objects.requireNonNull(closing, "closing");
        Objects.requireNonNull(freeing, "freeing");
        this.closing = closing;
        this.freeing = freeing;
    }

    /** {@return whether {@link #close()} was called} */
    public boolean isClosed() {
        return state.get() < 0;
    }

    /** {@return whether the memory is gone: closed, and borrowed by nobody} */
    public boolean isFreed() {
        return state.get() == CLOSED;
    }

    /**
     * Borrows the memory for one call; each success is paired with one {@link #giveBack()}.
     *
     * @return false if closed, and not kept
     */
    public boolean borrow() {
        int seen;
        do {
            seen = state.get();
            if (seen < 0 && (seen == CLOSED || keeps.get() == 0)) {
                return false;
            }
            if ((seen & BORROWS) == BORROWS) {
                throw new IllegalStateException("cannot borrow a tensor: borrows=" + (seen & BORROWS)
                        + "; pair each borrow() with one giveBack()");
            }
        } while (!state.compareAndSet(seen, seen + 1));
        return true;
    }

    /**
     * Borrows it so that others may, also after it is closed; each success is paired with one {@link #unkeep()}.
     *
     * @return false if it cannot be borrowed
     */
    public boolean keep() {
        boolean isBorrowed = borrow();
        if (isBorrowed) {
            keeps.incrementAndGet();
        }
        return isBorrowed;
    }

    /** Ends one {@link #keep()}. */
    public void unkeep() {
        keeps.decrementAndGet();
        giveBack();
    }

    /**
     * Ends one borrow; the last one frees closed memory and wakes the waiters.
     *
     * @throws IllegalStateException if nothing borrows the memory
     */
    public void giveBack() {
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
    public void close() {
        int seen = state.getAndUpdate(each -> each | CLOSED);
        if (seen >= 0) {
            closing.run();
        }
        if (seen == 0) {
            freeing.run();
        }
    }

    /**
     * Registers a claim of borrowed memory, once.
     *
     * @throws InvalidCallException if another claim conflicts
     */
    void claim(TensorClaim claim) {
        while (true) {
            Object seen = claims;
            if (seen == null) {
                if (CLAIMS.compareAndSet(this, null, claim)) {
                    return;
                }
            } else if (seen == claim) {
                return;
            } else if (seen instanceof ClaimedMemory memory) {
                synchronized (memory) {
                    if (!memory.isGone()) {
                        memory.add(claim);
                        return;
                    }
                }
            } else {
                // It fails if the other claim has ended in the meantime.
                CLAIMS.compareAndSet(this, seen, ClaimedMemory.of(this, (TensorClaim) seen));
            }
        }
    }

    /** Removes a claim from this memory, if it is registered here. */
    void unclaim(TensorClaim claim) {
        Object seen = claims;
        if (seen == claim) {
            if (CLAIMS.compareAndSet(this, claim, null)) {
                return;
            }
            seen = claims;
        }
        if (seen instanceof ClaimedMemory memory) {
            synchronized (memory) {
                if (!memory.isGone() && memory.remove(claim)) {
                    claims = null;
                }
            }
        }
    }

    /** {@return a Mono that completes once nothing borrows the memory; at once if nothing does} */
    public Mono<Void> released() {
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
                freeing.run();
            }
        } finally {
            wakeIfUnborrowed();
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
            } catch (Exception | Error e) {
                failed = failed instanceof Error ? failed : e;
            }
        }
        Thrown.on(failed);
    }

    private record Waiter(
            Sinks.Empty<Void> signal, @Nullable Waiter next) {}
}
