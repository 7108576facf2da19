package io.reactivecomm.spi.link;

import io.reactivecomm.CommConfig;
import reactor.core.publisher.Mono;

/** Makes links between processes; found by name through {@link java.util.ServiceLoader}. */
public interface LinkTransport {

    /** {@return the name by which a configuration asks for it, such as {@code tcp}} */
    String name();

    /**
     * Finds the other ranks and connects to each.
     *
     * <p><b>Errors.</b> {@link io.reactivecomm.RendezvousException}, within the configuration's rendezvous timeout. Cancelling gives up and
     * frees everything.
     */
    Mono<Mesh> connect(CommConfig config);
}
