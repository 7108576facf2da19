package io.reactivecomm.netty.internal.rendezvous;

import io.reactivecomm.spi.Attempt;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.WorkThreads;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Work that blocks for a moment, on a thread that may, and that goes on to its end whoever waits for it.
 *
 * <p><b>Subscription and cancellation.</b> Each subscription does it once. A cancellation does not interrupt it: an interrupt breaks off work with
 * files midway, as an error that nobody waits for any more.
 *
 * <p><b>Errors.</b> As {@link Attempt} tells them.
 */
public final class Blocking {

    private static final Logger LOG = LoggerFactory.getLogger(Blocking.class);

    private Blocking() {}

    public static Mono<Void> run(Runnable task) {
        return call(() -> {
            task.run();
            return null;
        });
    }

    /** @param task may return null, which completes empty */
    public static <T> Mono<T> call(Supplier<@Nullable T> task) {
        return Mono.create(sink -> {
            AtomicBoolean over = new AtomicBoolean();
            sink.onCancel(() -> over.set(true));
            WorkThreads.shared().schedule(Attempt.task(sink, () -> tell(task, sink, over)));
        });
    }

    private static <T> void tell(Supplier<@Nullable T> task, MonoSink<T> sink, AtomicBoolean over) {
        try {
            sink.success(task.get());
        } catch (RuntimeException e) {
            if (!over.get()) {
                throw e;
            }
            LOG.debug("nobody waits for this any more", WarningLog.printable(e));
        }
    }
}
