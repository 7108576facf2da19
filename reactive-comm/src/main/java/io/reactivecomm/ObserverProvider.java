package io.reactivecomm;

import io.reactivecomm.observe.CommObserver;
import java.util.Map;
import java.util.Optional;

/**
 * A maker of observers that the environment asks for. {@link CommConfig#fromEnvironment} finds all through {@link java.util.ServiceLoader}: this
 * package depends on none of them.
 */
public interface ObserverProvider {

    /**
     * {@return a new observer, if the environment asks for one of this kind}
     *
     * @throws RendezvousException if what it says of it cannot be read
     */
    Optional<CommObserver> observer(Map<String, String> environment);
}
