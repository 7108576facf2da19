package io.reactivecomm.internal.stream;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * A rank's loop, as those see it who tell a subscriber of the end of several calls.
 *
 * <p>As an executor it emits what was there before the demand; it runs one task after the other, also after the world's end.
 *
 * <p><b>Threads.</b> Any.
 */
@FunctionalInterface
public interface ResultLoop extends Executor {

    /** One whose subscriber waits, while user code may run between its calls. */
    interface Awaited {

        /** A fatal error has ended the world, and may have broken the chain that would tell the subscriber. On the loop. */
        void worldDied(Throwable cause);
    }

    /** Does what would hold the loop on another thread, and tells of it here; what is fatal is told, and thrown here. */
    default <T> void aside(Supplier<T> work, Consumer<? super T> done, Consumer<? super Throwable> failed) {
        OffLoopWork.begin(work, this, done, failed);
    }

    /** {@return the result of such work, done at each subscription, for an operator that asks for all at once} */
    default <T> Mono<T> aside(Supplier<T> work) {
        return new OffLoopMono<>(this, work);
    }

    /**
     * That one is told if a fatal error ends the world, after all calls have been; until it is {@link #letGo}. A plain executor has no
     * world.
     */
    default void hold(Awaited awaited) {}

    /** Its subscriber has been told, or has left. Idempotent. */
    default void letGo(Awaited awaited) {}
}
