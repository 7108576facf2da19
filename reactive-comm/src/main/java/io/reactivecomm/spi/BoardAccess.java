package io.reactivecomm.spi;

import io.reactivecomm.CommConfig;
import io.reactivecomm.StoreAddress;
import java.util.List;
import reactor.core.publisher.Mono;

/** The way to the boards of other processes' jobs; found through {@link java.util.ServiceLoader}. */
public interface BoardAccess {

    /**
     * Connects to the board of the job that meets there, in one attempt.
     *
     * <p><b>Errors.</b> {@link io.reactivecomm.RendezvousException} if nobody answers, the token differs, or there are too many watchers.
     *
     * @param place where the job's store is, and what admits to it; rank and world size are of no account
     */
    Mono<BoardReader> open(CommConfig place);

    /**
     * {@return the stores on this machine's loopback that this user's jobs have left a token for, those of ended processes left out}
     *
     * <p><b>Threads.</b> May block.
     */
    List<StoreAddress> jobsHere();
}
