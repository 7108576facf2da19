package io.reactivecomm.spi.link;

import io.reactivecomm.CommConfig;
import reactor.core.publisher.Mono;

/**
 * Puts better links in the place of some that a transport has made, such as shared memory between ranks of one host; found by name through
 * {@link java.util.ServiceLoader}. The links that were there stay behind them for control.
 */
public interface LinkUpgrade {

    /** {@return the name by which a configuration asks for it, such as {@code shm}} */
    String name();

    /** {@return the {@link LinkTransport} whose links it begins with} */
    String base();

    /**
     * Agrees with the other ranks on which links to replace, which may be none.
     *
     * <p><b>Errors.</b> {@link io.reactivecomm.RendezvousException}, within the configuration's rendezvous timeout; the mesh is closed then,
     * and also when the subscriber cancels.
     *
     * @param mesh connected and not started; whoever gets the new mesh closes both by closing that
     */
    Mono<Mesh> upgrade(Mesh mesh, CommConfig config);
}
