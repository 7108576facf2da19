package io.reactivecomm.netty;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.reactivecomm.spi.FatalErrors;
import reactor.core.Exceptions;
import reactor.core.scheduler.NonBlocking;

/** A thread that serves sockets: Netty's fast thread-locals, and Reactor refuses to block it. */
final class LoopThread extends FastThreadLocalThread implements NonBlocking {

    private final FatalErrors fatalErrors;

    LoopThread(Runnable task, String name, FatalErrors fatalErrors) {
        super(task, name);
        this.fatalErrors = fatalErrors;
        setDaemon(true);
    }

    /** Tells those on this thread's loop of an error in what Netty runs, if it is fatal to the JVM. */
    static void handlerFailed(Throwable error) {
        if (Exceptions.isJvmFatal(error) && Thread.currentThread() instanceof LoopThread thread) {
            thread.fatalErrors.tell(error, FatalErrors.NO_RANK);
        }
    }
}
