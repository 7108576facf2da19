package io.reactivecomm.spi.rendezvous;

import io.reactivecomm.Meeting;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.Map;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * An engine's offer to let ranks meet by its library's all-gather; found through {@link java.util.ServiceLoader}.
 *
 * <p>{@link io.reactivecomm.ReactiveComm#connect()} takes it up where the backend names the engine and the environment names no store: neither
 * MASTER_ADDR, nor one that somebody else runs. Launchers are not asked then. The first that offers wins, in the order of the services files.
 */
public interface MeetingProvider {

    /** {@return the name of the engine, as {@link EngineProvider#name()} has it} */
    String engine();

    /**
     * {@return the all-gather of all processes of this job, or empty if the library has none in this process, which no launcher of its own started}
     *
     * <p>The answer is the same on all ranks of a job.
     *
     * <p><b>Subscription and cancellation.</b> The library is begun on subscription, off the subscriber's thread if that takes time. Cancelled when the
     * rendezvous timeout is over; what was begun is the provider's to keep for the engine or to end.
     *
     * <p><b>Errors.</b> Of the Mono: a {@link io.reactivecomm.CommException}, best with what to do. It is this rank's alone: without the library nobody else
     * can be told.
     */
    Optional<Mono<Meeting>> offer(Map<String, String> environment);
}
