package io.reactivecomm.netty.internal.connection;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.WarningLog;
import org.slf4j.Logger;
import reactor.core.Exceptions;
import reactor.core.scheduler.NonBlocking;

/** A thread that serves sockets: Netty's fast thread-locals, and Reactor refuses to block it. */
public final class LoopThread extends FastThreadLocalThread implements NonBlocking {

    private static final Logger LOG = WarningLog.of(LoopThread.class);

    private final FatalErrors fatalErrors;

    LoopThread(Runnable task, String name, FatalErrors fatalErrors) {
        super(task, name);
        this.fatalErrors = fatalErrors;
        setDaemon(true);
    }

    /** Ends the worlds on this thread's loop because of an error in a timer's task. Netty would only store the error in an unread future. */
    static void timerFailed(Throwable error) {
        if (Thread.currentThread() instanceof LoopThread thread) {
            thread.fatalErrors.tell(error, FatalErrors.NO_RANK);
        }
        LOG.error("a timer of a loop failed; the loop runs on", WarningLog.printable(error));
    }

    /** Tells those on this thread's loop of an error in what Netty runs, if it is fatal to the JVM. */
    public static void handlerFailed(Throwable error) {
        if (Exceptions.isJvmFatal(error) && Thread.currentThread() instanceof LoopThread thread) {
            thread.fatalErrors.tell(error, FatalErrors.NO_RANK);
        }
    }
}
