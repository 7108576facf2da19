package io.reactivecomm.testkit.stream;

import io.reactivecomm.testkit.WorldContract;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.scheduler.Schedulers;

/**
 * A subscriber that asks and cancels when it is told to, and holds what it hears against the rules of Reactive Streams.
 *
 * <p>It stands directly behind the publisher, without an operator of Reactor's in between. Results that can be closed are closed on
 * arrival.
 *
 * <p><b>Threads.</b> Any.
 */
final class ScriptedSubscriber implements CoreSubscriber<Object> {

    /** The reaction of a subscriber to what comes. */
    interface Habit {

        void on(ScriptedSubscriber listener);
    }

    private static final Habit NOTHING = listener -> {};

    private final Habit onSubscribe;
    private final Habit onNext;
    private final AtomicLong asked = new AtomicLong();
    private final AtomicInteger results = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();
    private final AtomicBoolean busy = new AtomicBoolean();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    private volatile @Nullable Subscription subscription;
    private volatile @Nullable Throwable error;
    private volatile boolean cancelled;
    private volatile boolean hasThrown;
    private volatile boolean blocking;

    private ScriptedSubscriber(Habit onSubscribe, Habit onNext) {
        this.onSubscribe = onSubscribe;
        this.onNext = onNext;
    }

    /** {@return one that does nothing by itself} */
    static ScriptedSubscriber idle() {
        return new ScriptedSubscriber(NOTHING, NOTHING);
    }

    /** {@return one that asks for all at once} */
    static ScriptedSubscriber eager() {
        return new ScriptedSubscriber(each -> each.ask(Long.MAX_VALUE), NOTHING);
    }

    /** {@return one that asks for the next with each that comes} */
    static ScriptedSubscriber oneByOne() {
        return new ScriptedSubscriber(each -> each.ask(1), each -> each.ask(1));
    }

    /** {@return one that cancels before it asks for anything} */
    static ScriptedSubscriber leavingAtOnce() {
        return new ScriptedSubscriber(ScriptedSubscriber::cancel, NOTHING);
    }

    /** {@return one that asks for all, and cancels at the first} */
    static ScriptedSubscriber leavingAtTheFirst() {
        return new ScriptedSubscriber(each -> each.ask(Long.MAX_VALUE), ScriptedSubscriber::cancel);
    }

    /** {@return one that asks for all, and then throws as it is given its subscription} Reactor gives it another one after that, with the error. */
    static ScriptedSubscriber throwing(RuntimeException thrown) {
        return new ScriptedSubscriber(
                each -> {
                    each.hasThrown = true;
                    each.ask(Long.MAX_VALUE);
                    throw thrown;
                },
                NOTHING);
    }

    void ask(long n) {
        asked.accumulateAndGet(n, (one, other) -> Math.min(Long.MAX_VALUE - other, one) + other);
        present().request(n);
    }

    void cancel() {
        cancelled = true;
        present().cancel();
    }

    /** Cancels while a signal may be under way, which may still come. */
    void cancelInHaste() {
        present().cancel();
    }

    private Subscription present() {
        Subscription own = subscription;
        if (own == null) {
            throw new IllegalStateException("a subscriber has no subscription yet");
        }
        return own;
    }

    @Override
    public void onSubscribe(Subscription own) {
        if (hasThrown) {
            return;
        }
        require(subscription == null, "a second subscription");
        subscription = own;
        onSubscribe.on(this);
    }

    @Override
    public void onNext(Object result) {
        signal(() -> {
            int number = results.incrementAndGet();
            require(number <= asked.get(), "a result that it has not asked for");
            require(ends.get() == 0, "a result after the end");
            blocking |= !Schedulers.isInNonBlockingThread();
            Subject.free(result);
            onNext.on(this);
            first.complete(null);
        });
    }

    @Override
    public void onComplete() {
        signal(() -> end("a completion"));
        ended.complete(null);
    }

    @Override
    public void onError(Throwable told) {
        error = told;
        signal(() -> end("an error"));
        ended.complete(null);
    }

    private void end(String what) {
        require(ends.incrementAndGet() == 1, what + " after the end");
    }

    private void signal(Runnable action) {
        require(!cancelled, "a signal after it has cancelled");
        require(busy.compareAndSet(false, true), "two signals at once");
        action.run();
        busy.set(false);
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            faults.add(otherwise);
        }
    }

    void awaitFirst() {
        first.orTimeout(WorldContract.LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    void awaitEnd() {
        ended.orTimeout(WorldContract.LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    int results() {
        return results.get();
    }

    boolean hasEnded() {
        return ends.get() > 0;
    }

    @Nullable Throwable error() {
        return error;
    }

    /** {@return whether it was told of a result on a thread that may block} */
    boolean wasOnABlockingThread() {
        return blocking;
    }

    Queue<String> faults() {
        return faults;
    }
}
