package io.reactivecomm.spi.rendezvous;

import java.util.Map;
import java.util.Optional;

/**
 * Reads another launcher's environment; found through {@link java.util.ServiceLoader}.
 *
 * <p>The first that answers wins, in the order of the services files. RANK and WORLD_SIZE, where both are set, win over what a launcher
 * says in its own words, as in torch.distributed.
 */
public interface Launcher {

    /** {@return the launcher's name for messages, such as {@code Open MPI}} */
    String name();

    /**
     * {@return the environment with the variables of {@link io.reactivecomm.CommConfig#fromEnvironment} as this launcher's own imply them,
     * or empty if this launcher did not start the process, or if its word does not count}
     *
     * @throws io.reactivecomm.RendezvousException if it did, but left out what is needed
     */
    Optional<Map<String, String>> translate(Map<String, String> environment);
}
