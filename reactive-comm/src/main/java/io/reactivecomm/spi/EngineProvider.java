package io.reactivecomm.spi;

import io.reactivecomm.ProcessGroup;
import reactor.core.publisher.Mono;

/** Opens an engine by name; found through {@link java.util.ServiceLoader}. */
public interface EngineProvider {

    /** {@return the name by which {@link io.reactivecomm.Choices#backend()} asks for it, such as {@code nccl}} */
    String name();

    /**
     * Opens the engine for one rank; all ranks of the world do so together.
     *
     * <p>One that needs the same order of calls on all ranks is an {@link OrderedEngine} and is opened behind a
     * {@link io.reactivecomm.sequence.SequencedEngine}.
     *
     * <p><b>Errors.</b> {@link io.reactivecomm.CommException}, with which joining the world fails.
     *
     * @param control the world's group over links, for what the engines have to tell each other. Its calls are counted apart from the
     *     program's, so names given to its views begin with the engine's own
     */
    Mono<CollectiveEngine> open(ProcessGroup control);
}
