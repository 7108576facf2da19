package io.reactivecomm.spi.engine;

import java.util.Set;
import reactor.core.publisher.Mono;

/** Opens an engine by name; found through {@link java.util.ServiceLoader}. */
public interface EngineProvider {

    /** {@return the name by which {@link io.reactivecomm.Choices#backend()} asks for it, such as {@code nccl}} */
    String name();

    /** {@return the kinds of devices whose tensors it takes, such as {@code cuda}; by its name alone it is chosen for all of them} */
    Set<String> devices();

    /**
     * Opens the engine for one rank; all ranks of the world do so together.
     *
     * <p>One that needs the same order of calls on all ranks is an {@link OrderedEngine} and is opened behind a
     * {@link io.reactivecomm.sequence.SequencedEngine}.
     *
     * <p><b>Subscription and cancellation.</b> Cancelled if another rank fails meanwhile, or after the rendezvous timeout; an engine that comes all the
     * same is closed.
     *
     * <p><b>Errors.</b> A {@link io.reactivecomm.CommException}, best with the rank and what to do. Joining the world fails on all ranks with a
     * {@link io.reactivecomm.RendezvousException} that names the engine, the rank and that cause, and engines that are open are closed. The same follows
     * from anything else that is thrown or signalled, from no engine, and from none within the rendezvous timeout.
     */
    Mono<CollectiveEngine> open(EngineContext context);
}
