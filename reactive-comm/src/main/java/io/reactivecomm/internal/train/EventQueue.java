package io.reactivecomm.internal.train;

import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/**
 * Events that are handled one at a time, on whichever thread finds no other one at the queue. A thread that does leaves its event there and returns.
 * So state that only events touch needs no lock, and no thread of its own.
 *
 * <p><b>Errors.</b> What an event throws is reported. A fatal error is thrown on as well, once the events that are there have been handled.
 *
 * <p><b>Threads.</b> Any.
 */
final class EventQueue {

    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final Consumer<Throwable> failed;
    private @Nullable Throwable fatal;

    /** @param failed takes what events throw, on the thread that is at the queue */
    EventQueue(Consumer<Throwable> failed) {
        this.failed = failed;
    }

    /** Handles an event now, or behind those that another thread is at. {@return whether this thread has handled it} */
    boolean post(Runnable event) {
        events.add(event);
        if (waiting.getAndIncrement() != 0) {
            return false;
        }
        Throwable first = null;
        do {
            guarded(Objects.requireNonNull(events.poll()));
            first = first == null ? fatal : first;
            fatal = null;
        } while (waiting.decrementAndGet() != 0);
        if (first != null) {
            Exceptions.throwIfJvmFatal(first);
        }
        return true;
    }

    /** Runs code of others, as a part of an event. */
    void guarded(Runnable code) {
        try {
            code.run();
        } catch (Exception | Error e) {
            thrown(e);
            report(e);
        }
    }

    private void report(Throwable error) {
        try {
            failed.accept(error);
        } catch (Exception | Error e) {
            thrown(e);
        }
    }

    /** An event has caught this. If it is fatal, it is thrown on. */
    void thrown(Throwable error) {
        if (Exceptions.isJvmFatal(error)) {
            fatal = error;
        }
    }
}
