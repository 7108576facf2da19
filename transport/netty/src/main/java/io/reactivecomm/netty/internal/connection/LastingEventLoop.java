package io.reactivecomm.netty.internal.connection;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.WarningLog;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * An event loop that only a shutdown ends. Netty's own loop ends its thread when a handler throws, such as an {@link Error} in a select, and logs only a
 * warning. This loop ends the worlds that use it ({@link FatalErrors}) and continues, because it still has to deliver the ends of their calls and
 * notify the peers.
 *
 * <p><b>Threads.</b> The loop's own thread.
 */
public final class LastingEventLoop extends SingleThreadIoEventLoop {

    /** The pause of a loop that fails repeatedly, so that it does not use a whole core until its world is closed. */
    private static final long REST_NANOS = 1_000_000;

    private static final Logger LOG = WarningLog.of(LastingEventLoop.class);

    private final FatalErrors fatalErrors;
    private boolean hasFailed;

    private LastingEventLoop(
            IoEventLoopGroup parent, Executor executor, IoHandlerFactory handlers, FatalErrors fatalErrors) {
        super(parent, executor, handlers);
        this.fatalErrors = fatalErrors;
    }

    /** {@return a group with one such loop, on a thread of the factory} */
    static MultiThreadIoEventLoopGroup group(
            ThreadFactory threads, IoHandlerFactory handlers, FatalErrors fatalErrors) {
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

    /** {@return whether the loop has ended by a shutdown; false if it failed before one. Netty completes a shutdown that fails.} */
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
                        WarningLog.printable(error));
            }
        } catch (RuntimeException | Error worse) {
            // For example there is no memory to log. The ranks have been notified; the next failure is logged.
            hasFailed = !isFirst;
        }
    }

    /** If parking fails here, too, the loop does not rest. */
    private void rest() {
        try {
            LockSupport.parkNanos(this, REST_NANOS);
        } catch (RuntimeException | Error e) {
            LOG.trace("the loop cannot rest", e);
        }
    }
}
