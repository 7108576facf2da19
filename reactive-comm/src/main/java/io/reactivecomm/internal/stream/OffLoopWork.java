package io.reactivecomm.internal.stream;

import io.reactivecomm.internal.base.OwnThreads;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/**
 * Work that takes too long for a loop, done on threads of the library's own, one for each core. What has become of it is told on the loop.
 * What is fatal to the JVM is told there, and thrown there.
 *
 * <p>Nothing lies between the loop and who is told: an operator of Reactor's would swallow what is thrown on the way.
 *
 * <p><b>Threads.</b> Begun on any; then first on the other thread and after that on the loop.
 */
final class OffLoopWork<T> implements Runnable {

    private static final Executor THREADS =
            OwnThreads.some("rcomm-aside", Runtime.getRuntime().availableProcessors());

    private final Supplier<T> work;
    private final Executor loop;
    private final Consumer<? super T> done;
    private final Consumer<? super Throwable> failed;
    private boolean worked;
    private @Nullable T result;
    private @Nullable Throwable error;

    private OffLoopWork(Supplier<T> work, Executor loop, Consumer<? super T> done, Consumer<? super Throwable> failed) {
        this.work = work;
        this.loop = loop;
        this.done = done;
        this.failed = failed;
    }

    static <T> void begin(
            Supplier<T> work, Executor loop, Consumer<? super T> done, Consumer<? super Throwable> failed) {
        OffLoopWork<T> aside = new OffLoopWork<>(work, loop, done, failed);
        try {
            THREADS.execute(aside);
        } catch (OutOfMemoryError e) {
            // The system has no thread now: to hold the loop is better than never to end.
            aside.run();
        }
    }

    /** Itself is what the loop gets: where memory is used up, another object for that would be one too many. */
    @Override
    public void run() {
        if (worked) {
            tell();
        } else {
            work();
            worked = true;
            loop.execute(this);
        }
    }

    private void work() {
        try {
            result = work.get();
        } catch (Exception | Error e) {
            error = e;
        }
    }

    private void tell() {
        T value = result;
        if (value != null) {
            done.accept(value);
            return;
        }
        Throwable why = error == null ? new NullPointerException("work beside the loop gave nothing") : error;
        try {
            failed.accept(why);
        } finally {
            Exceptions.throwIfJvmFatal(why);
        }
    }
}
