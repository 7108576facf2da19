package io.reactivecomm.netty.internal.connection;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.reactivecomm.Waiting;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.PollingLoop;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/**
 * A loop that is one of Netty's event loops: it serves sockets and runs the engine's tasks on the same thread.
 *
 * <p><b>Threads.</b> One daemon thread, from {@link #start} to {@link #stop}.
 */
public final class NettyLoop implements PollingLoop {

    /** Longer than any task that is worth waiting for; a loop that is stuck is left behind, on its daemon thread. */
    private static final long STOP_MILLIS = 2_000;

    private static final Logger LOG = LoggerFactory.getLogger(NettyLoop.class);

    private final EventLoopGroup group;
    private final EventLoop eventLoop;
    private final Thread thread;
    private final Sockets sockets;
    private final LoopWaiting waiting;
    private final PollSet pollSet;
    private final FatalErrors fatalErrors;
    private final ShortParksAtExit atExit;
    /** Once it is closed it closes what is added. */
    private final ChannelGroup channels;

    private NettyLoop(
            EventLoopGroup group,
            Thread thread,
            Sockets sockets,
            LoopWaiting waiting,
            PollSet pollSet,
            FatalErrors fatalErrors) {
        this.group = group;
        this.eventLoop = group.next();
        this.thread = thread;
        this.sockets = sockets;
        this.waiting = waiting;
        this.pollSet = pollSet;
        this.fatalErrors = fatalErrors;
        this.channels = new DefaultChannelGroup(eventLoop, true);
        this.atExit = ShortParksAtExit.watch(eventLoop, thread.getName());
    }

    /** {@return a new loop, already running} */
    public static NettyLoop start(String threadName, Sockets sockets) {
        return start(threadName, sockets, UnaryOperator.identity());
    }

    /** @param around wraps the handler of the loop's sockets */
    static NettyLoop start(String threadName, Sockets sockets, UnaryOperator<IoHandlerFactory> around) {
        FirstUse.of(sockets);
        FatalErrors fatalErrors = new FatalErrors();
        AtomicReference<Thread> made = new AtomicReference<>();
        ThreadFactory threads = task -> {
            LoopThread thread = new LoopThread(task, threadName, fatalErrors);
            made.set(thread);
            return thread;
        };
        PollSet pollSet = new PollSet(fatalErrors);
        LoopWaiting waiting = new LoopWaiting(pollSet, System::nanoTime, Thread::yield);
        EventLoopGroup group = LastingEventLoop.group(threads, around.apply(sockets.handlers(waiting)), fatalErrors);
        // Netty makes the thread for the first task, before execute returns.
        group.next().execute(() -> {});
        return new NettyLoop(group, made.get(), sockets, waiting, pollSet, fatalErrors);
    }

    /**
     * Says how the loop waits from now on; before it sleeps at once.
     *
     * @param isCrowded whether the machine has more ranks than cores
     */
    public void wait(Waiting strategy, boolean isCrowded) {
        waiting.wait(strategy, isCrowded);
    }

    @Override
    public void add(Poller poller) {
        pollSet.add(poller);
    }

    @Override
    public void remove(Poller poller) {
        pollSet.remove(poller);
    }

    public EventLoopGroup group() {
        return group;
    }

    public EventLoop eventLoop() {
        return eventLoop;
    }

    public Sockets sockets() {
        return sockets;
    }

    /**
     * Closes a channel of this loop when the loop is stopped. Netty does so itself, but not for one whose registration is among the
     * last tasks.
     */
    public void own(Channel channel) {
        channels.add(channel);
    }

    @Override
    public void execute(Runnable task) {
        if (!takes(task)) {
            LOG.trace("a task came after the loop had ended");
        }
    }

    /** {@return whether a task will run on the loop, as by {@link #execute}; not if that has ended} */
    public boolean takes(Runnable task) {
        if (inLoop() && pollSet.takes(task)) {
            return true;
        }
        try {
            eventLoop.execute(() -> pollSet.run(task));
            pollSet.call();
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    @Override
    public boolean inLoop() {
        return eventLoop.inEventLoop();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Timer schedule(Runnable task, long delayNanos) {
        try {
            Future<?> future = eventLoop.schedule(() -> pollSet.run(task), delayNanos, TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException e) {
            LOG.trace("a timer came after the loop had ended", e);
            return () -> {};
        }
    }

    @Override
    public Thread thread() {
        return thread;
    }

    @Override
    public FatalErrors fatalErrors() {
        return fatalErrors;
    }

    /** Ends the loop after its present tasks and closes its sockets. It waits for the loop's thread unless the caller must not block. Idempotent. */
    public void stop() {
        atExit.forget();
        channels.close();
        group.shutdownGracefully(0, STOP_MILLIS, TimeUnit.MILLISECONDS);
        if (Schedulers.isInNonBlockingThread()) {
            return;
        }
        try {
            thread.join(STOP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
