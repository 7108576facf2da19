package io.reactivecomm.internal.dump;

import io.reactivecomm.spi.WarningLog;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * A delay of the JVM's exit while a dump is written. A program often exits as soon as it has its error, and then needs the dump. The delay is
 * {@link #MOST_MILLIS} at most, and the shutdown hook is removed when the dump is complete.
 *
 * <p><b>Threads.</b> Any.
 */
final class ExitDelay implements AutoCloseable {

    /** The first dump of a cold JVM takes a second on a busy machine, and half a second more if a loop is blocked. */
    static final long MOST_MILLIS = 2_000;

    private static final Logger LOG = WarningLog.of(ExitDelay.class);

    private final CountDownLatch written = new CountDownLatch(1);
    private final Thread hook = Thread.ofPlatform().name("rcomm-dump-exit").unstarted(this::await);

    private ExitDelay() {}

    /** {@return the delay for a dump that begins now and ends at {@link #close}} */
    static ExitDelay begin() {
        ExitDelay delay = new ExitDelay();
        try {
            Runtime.getRuntime().addShutdownHook(delay.hook);
        } catch (IllegalStateException e) {
            LOG.trace("a dump begins during the JVM's shutdown", e);
        }
        return delay;
    }

    private void await() {
        try {
            if (!written.await(MOST_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.warn(
                        "a dump of the flight recorder was not written in time before the JVM ended: waited={} ms",
                        MOST_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        written.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            LOG.trace("the JVM is shutting down; the hook cannot be removed", e);
        }
    }
}
