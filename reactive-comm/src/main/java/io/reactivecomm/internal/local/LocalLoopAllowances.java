package io.reactivecomm.internal.local;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * The methods in which a loop of this library may block, for programs that use BlockHound. A loop, and a thread for delayed tasks, may only wait for the
 * next task. It may also lock for some instructions, to hand a task over to threads of the library's own. BlockHound finds this class by {@link java.util.ServiceLoader}; without BlockHound it is never loaded.
 */
public final class LocalLoopAllowances implements BlockHoundIntegration {

    /** For {@link java.util.ServiceLoader}. */
    public LocalLoopAllowances() {}

    @Override
    public void applyTo(BlockHound.Builder builder) {
        String loop = LocalLoop.class.getName();
        builder.nonBlockingThreadPredicate(known -> known.or(LocalLoop.LoopThread.class::isInstance))
                .allowBlockingCallsInside(loop, "pause")
                .allowBlockingCallsInside(loop, "isStillToLook")
                .allowBlockingCallsInside(loop, "sleep")
                .allowBlockingCallsInside(loop, "rest")
                .allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "execute")
                .allowBlockingCallsInside("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "poll");
    }
}
