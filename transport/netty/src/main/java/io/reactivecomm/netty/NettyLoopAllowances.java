package io.reactivecomm.netty;

import io.reactivecomm.netty.internal.connection.LastingEventLoop;
import io.reactivecomm.netty.internal.connection.LoopThread;
import io.reactivecomm.netty.internal.connection.LoopWaiting;
import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * The methods in which a loop of sockets may block, for programs that use BlockHound. The loop may wait for its next task or for an event of a socket.
 * Netty's allocator may lock for some instructions, because threads share its memory.
 * BlockHound finds this class by {@link java.util.ServiceLoader}; without BlockHound it is never loaded.
 */
public final class NettyLoopAllowances implements BlockHoundIntegration {

    /** Netty's own integration does not allow it. */
    private static final String ALLOCATOR = "io.netty.buffer.AdaptivePoolingAllocator";

    /** For {@link java.util.ServiceLoader}. */
    public NettyLoopAllowances() {}

    @Override
    public void applyTo(BlockHound.Builder builder) {
        builder.nonBlockingThreadPredicate(known -> known.or(LoopThread.class::isInstance))
                .allowBlockingCallsInside(LoopWaiting.class.getName(), "letOthersRun")
                .allowBlockingCallsInside(LoopWaiting.class.getName(), "isOver")
                .allowBlockingCallsInside(LastingEventLoop.class.getName(), "rest")
                .allowBlockingCallsInside(ALLOCATOR, "allocate");
    }
}
