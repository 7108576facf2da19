package io.reactivecomm.netty.internal.connection;

import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A loop's short sleeps while its JVM ends.
 *
 * <p>HotSpot ends a process once none of its threads is in native code, or after 300 ms (VM_Exit::wait_for_threads_in_native_to_block). A
 * loop that sleeps is in native code, and as long as the process is there, its connections are: so long no peer would know. A loop that
 * wakes is held at the JVM's last safepoint, and keeps nobody waiting.
 *
 * <p><b>Threads.</b> {@link #forget} may be called from any.
 */
final class ShortParksAtExit {

    private static final Logger LOG = LoggerFactory.getLogger(ShortParksAtExit.class);

    /** HotSpot looks again each 10 ms. */
    private static final long SLEEP_MILLIS = 5;

    private final Thread hook;

    private ShortParksAtExit(Thread hook) {
        this.hook = hook;
    }

    /** From now on that loop has short sleeps when the JVM ends, however that begins. */
    static ShortParksAtExit watch(EventLoop loop, String name) {
        Thread hook = new Thread(() -> stayAwake(loop), name + "-exit");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            LOG.trace("a loop begins while the JVM ends", e);
            stayAwake(loop);
        }
        return new ShortParksAtExit(hook);
    }

    private static void stayAwake(EventLoop loop) {
        try {
            loop.scheduleWithFixedDelay(() -> {}, 0, SLEEP_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.trace("the loop has ended", e);
        }
    }

    /** The loop has ended. Idempotent. */
    void forget() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            LOG.trace("the loop has ended with the JVM", e);
        }
    }
}
