package io.reactivecomm.spi;

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
     * <p><b>Errors.</b> {@link io.reactivecomm.CommException}, with which joining the world fails.
     */
    Mono<CollectiveEngine> open(EngineContext context);
}
