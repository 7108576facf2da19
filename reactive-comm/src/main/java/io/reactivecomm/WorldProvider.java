package io.reactivecomm;

import java.util.Map;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** Makes worlds for {@link ReactiveComm}, which finds it through {@link java.util.ServiceLoader}: this package depends on no other. */
public interface WorldProvider {

    /**
     * {@return this process's place as the launcher's environment tells it}
     *
     * @throws RendezvousException if it does not
     */
    CommConfig discover(Map<String, String> environment);

    /**
     * Joins the world that the launcher's environment names, or that an engine's library has started.
     *
     * @param change changes the configuration that follows from the environment
     */
    Mono<ProcessGroup> connect(Map<String, String> environment, UnaryOperator<CommConfig> change);

    /** Joins the world that the configuration names. */
    Mono<ProcessGroup> connect(CommConfig config);

    /** Makes a world of ranks inside this JVM, with the environment's settings. */
    LocalWorld local(int worldSize);

    /** Makes a world of ranks inside this JVM, with those settings. */
    LocalWorld local(int worldSize, CommConfig settings);
}
