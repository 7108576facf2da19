package io.reactivecomm.netty;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * The methods in which a loop of sockets may wait, for programs that run with BlockHound: those in which it waits for its next task or for
 * news of its sockets, and those of Netty's allocator, in which threads that share its memory keep each other out for some instructions.
 * BlockHound finds this class by {@link java.util.ServiceLoader}; without BlockHound it is never loaded.
 */
public final class NettyLoopAllowances implements BlockHoundIntegration {

    /** Netty's own integration leaves it out. */
    private static final String ALLOCATOR = "io.netty.buffer.AdaptivePoolingAllocator";

    /** For {@link java.util.ServiceLoader}. */
    public NettyLoopAllowances() {}

    @Override
    public void applyTo(BlockHound.Builder builder) {
        builder.nonBlockingThreadPredicate(known -> known.or(LoopThread.class::isInstance))
                .allowBlockingCallsInside(SpinThenPark.class.getName(), "letOthersRun")
                .allowBlockingCallsInside(SpinThenPark.class.getName(), "isOver")
                .allowBlockingCallsInside(LastingEventLoop.class.getName(), "rest")
                .allowBlockingCallsInside(ALLOCATOR, "allocate");
    }
}
