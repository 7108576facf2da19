package io.reactivecomm;

import io.reactivecomm.observe.CommObserver;
import java.util.Map;
import java.util.Optional;

/**
 * A maker of observers that a setting asks for. {@link CommConfig#fromEnvironment} finds all through {@link java.util.ServiceLoader}: this package depends on
 * none of them.
 */
public interface ObserverProvider {

    /** {@return the environment variable that asks for its observer, such as RCOMM_TIMELINE} */
    String variable();

    /**
     * {@return a new observer, if the environment asks for one of this kind}
     *
     * @throws RendezvousException if the variable's value cannot be read
     */
    Optional<CommObserver> observer(Map<String, String> environment);

    /**
     * {@return a new observer, if the text of a DeepSpeed configuration asks for one of this kind}
     *
     * @throws InvalidCallException if its block of the configuration cannot be read
     */
    default Optional<CommObserver> deepSpeedObserver(String json) {
        return Optional.empty();
    }
}
