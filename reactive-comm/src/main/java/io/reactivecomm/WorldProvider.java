package io.reactivecomm;

import java.util.Map;
import reactor.core.publisher.Mono;

/** Makes worlds for {@link ReactiveComm}, which finds it through {@link java.util.ServiceLoader}: this package depends on no other. */
public interface WorldProvider {

    /**
     * {@return this process's place as the launcher's environment tells it}
     *
     * @throws RendezvousException if it does not
     */
    CommConfig discover(Map<String, String> environment);

    /** Joins the world that the configuration names. */
    Mono<ProcessGroup> connect(CommConfig config);

    /** Makes a world of ranks inside this JVM, with the environment's settings. */
    LocalWorld local(int worldSize);

    /** Makes a world of ranks inside this JVM, with those settings. */
    LocalWorld local(int worldSize, CommConfig settings);
}
