package io.reactivecomm.spi;

import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * The board on which a rank tells those who watch its job how it does; without watchers it tells nothing.
 *
 * <p><b>Subscription and cancellation.</b> Each subscription asks anew. Cancelling withdraws a wait.
 *
 * <p><b>Errors.</b> {@link io.reactivecomm.RendezvousException} when the board has gone.
 */
public interface LiveBoard {

    /** {@return how often to publish, once somebody watches; until then it waits, and costs nothing} A rank is on the board from the first time on. */
    Mono<Duration> watched();

    /**
     * Replaces what the rank has told before.
     *
     * @param record at most {@link JobBoard#MAX_RECORD_BYTES}
     * @return how often to publish from here on; zero if nobody watches any more
     */
    Mono<Duration> publish(byte[] record);
}
