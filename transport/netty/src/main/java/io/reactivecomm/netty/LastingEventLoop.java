package io.reactivecomm.netty;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.reactivecomm.spi.FatalErrors;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An event loop that only a shutdown ends. Netty ends the thread of a loop on whatever its handler throws, an {@link Error} of a select for
 * example, and logs no more than a warning. This one ends the worlds on it ({@link FatalErrors}) and runs on, because the ends of their
 * calls, and what peers are notified of, are delivered on it.
 *
 * <p><b>Threads.</b> Its own.
 */
final class LastingEventLoop extends SingleThreadIoEventLoop {

    /** Between two attempts of a loop that fails in each: it must not take a core until its world is closed. */
    private static final long REST_NANOS = 1_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(LastingEventLoop.class);

    private final FatalErrors fatalErrors;
    private boolean hasFailed;

    private LastingEventLoop(IoEventLoopGroup parent, Executor executor, IoHandlerFactory handlers, FatalErrors fatalErrors) {
        super(parent, executor, handlers);
        this.fatalErrors = fatalErrors;
    }

    /** {@return a group with one such loop, on a thread of that factory} */
    static MultiThreadIoEventLoopGroup group(ThreadFactory threads, IoHandlerFactory handlers, FatalErrors fatalErrors) {
        return new MultiThreadIoEventLoopGroup(1, threads, handlers) {
            @Override
            protected IoEventLoop newChild(Executor executor, IoHandlerFactory factory, Object... args) {
                return new LastingEventLoop(this, executor, factory, fatalErrors);
            }
        };
    }

    @Override
    protected void run() {
        while (!isRunToTheEnd()) {
            rest();
        }
    }

    /** {@return whether it is shut down, or shutting down and fails in that, which Netty then completes; false if it failed before} */
    private boolean isRunToTheEnd() {
        try {
            super.run();
            return true;
        } catch (Throwable e) {
            failed(e);
            return isShuttingDown();
        }
    }

    private void failed(Throwable error) {
        boolean isFirst = !hasFailed;
        hasFailed = true;
        try {
            fatalErrors.tell(error, FatalErrors.NO_RANK);
            if (isFirst) {
                LOG.error(
                        "a loop of sockets failed and the world on it ends; the loop runs on until that is closed: thread={}",
                        Thread.currentThread().getName(),
                        error);
            }
        } catch (RuntimeException | Error worse) {
            // There is no memory to log, say. The ranks know already; the next failure is logged.
            hasFailed = !isFirst;
        }
    }

    /** What keeps the loop from waiting may keep it from this, too: then it does not rest. */
    private void rest() {
        try {
            LockSupport.parkNanos(this, REST_NANOS);
        } catch (RuntimeException | Error e) {
            LOG.trace("the loop cannot rest", e);
        }
    }
}
