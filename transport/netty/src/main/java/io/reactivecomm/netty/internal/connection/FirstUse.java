package io.reactivecomm.netty.internal.connection;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.reactivecomm.spi.WarningLog;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.scheduler.Schedulers;

/**
 * The first use of Netty in this JVM. Its buffers and channels load some hundred classes, and register events with the JVM's flight
 * recorder, for a tenth of a second and more. That is not done on a loop that others wait for, but on one that does nothing else and
 * ends. The caller's thread, which is the program's, only waits: Netty leaves nothing behind on it.
 */
final class FirstUse {

    private static final Logger LOG = LoggerFactory.getLogger(FirstUse.class);
    private static final Set<Sockets> USED = ConcurrentHashMap.newKeySet();

    /** Whatever keeps it for longer is not worth waiting for. */
    private static final long MOST_MILLIS = 10_000;

    private FirstUse() {}

    /**
     * Loads and runs, on the first call, the code that a rank will use. It waits for the end unless the thread must not block. Failures are ignored here, because
     * the loops will meet them.
     */
    static void of(Sockets sockets) {
        if (USED.add(sockets)) {
            IoHandlerFactory handlers = sockets.handlers(DefaultSelectStrategyFactory.INSTANCE.newSelectStrategy());
            use(handlers, List.of(sockets.listenerType(), sockets.channelType(), sockets.datagramType()));
        }
    }

    /** Uses buffers and channels of those types, and waits for it. */
    static void use(IoHandlerFactory handlers, List<Class<? extends Channel>> types) {
        try {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, FirstUse::thread, handlers);
            try {
                useOn(group.next(), types);
            } finally {
                group.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            // No thread is to be had, say. If there is none for the rank's loop either, that will say it better.
            LOG.debug("the first use of sockets is left to the loops", WarningLog.printable(e));
        }
    }

    private static void useOn(EventLoop loop, List<Class<? extends Channel>> types) {
        Future<?> used = loop.submit(() -> {
            Handshake.seed();
            useBuffers();
            for (Class<? extends Channel> type : types) {
                open(loop, type);
            }
            return null;
        });
        if (Schedulers.isInNonBlockingThread()) {
            return;
        }
        used.awaitUninterruptibly(MOST_MILLIS);
        if (!used.isSuccess()) {
            LOG.debug("the first use of sockets is left to the loops", used.cause());
        }
    }

    private static Thread thread(Runnable task) {
        return Thread.ofPlatform().daemon().name("reactive-comm-first-use").unstarted(task);
    }

    private static void useBuffers() {
        ByteBufAllocator.DEFAULT.directBuffer(1).release();
        ByteBufAllocator.DEFAULT.heapBuffer(1).release();
    }

    /** Opens a channel that is neither bound nor connected, and closes it. On the loop. */
    private static void open(EventLoop loop, Class<? extends Channel> type) throws ReflectiveOperationException {
        Channel channel = type.getDeclaredConstructor().newInstance();
        try {
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter());
            loop.register(channel);
        } finally {
            if (channel.isRegistered()) {
                channel.close();
            } else {
                channel.unsafe().closeForcibly();
            }
        }
    }
}
