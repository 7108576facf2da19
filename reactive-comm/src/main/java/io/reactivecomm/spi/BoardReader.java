package io.reactivecomm.spi;

import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * A watcher's sight of a job's {@link JobBoard}. To look is to watch: ranks publish while somebody has looked in the last
 * {@link JobBoard#LEASE}.
 */
public interface BoardReader extends AutoCloseable {

    /**
     * {@return a page of the board; empty if the job's board has gone}
     *
     * <p><b>Errors.</b> {@link io.reactivecomm.RendezvousException} if there is no answer in ten seconds, or it makes no sense.
     *
     * @param first the first rank of interest
     * @param every how often ranks are to publish
     */
    Mono<BoardPage> look(int first, Duration every);

    /** Watches no more. Idempotent. */
    @Override
    void close();
}
