package io.reactivecomm.spi;

import java.time.Duration;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * A small key-value store that all ranks reach, through which they find each other.
 *
 * <p><b>Shapes.</b> Keys and values are at most {@link #MAX_KEY_BYTES} and {@link #MAX_VALUE_BYTES} long.
 *
 * <p><b>Errors.</b> {@link io.reactivecomm.RendezvousException} when the store has gone, refuses, or a wait runs out.
 */
public interface Rendezvous {

    /** Longest key, in UTF-8 bytes. */
    int MAX_KEY_BYTES = 1024;

    /** Longest value, in bytes: large enough for addresses and ids, too small to misuse the store for data. */
    int MAX_VALUE_BYTES = 64 * 1024;

    /** Sets a key, whether or not it has a value. */
    Mono<Void> set(String key, byte[] value);

    /** {@return the value of the key, waiting for it to be set} */
    Mono<byte[]> get(String key, Duration deadline);

    /** {@return the sum of the amount and the decimal number under the key (0 if unset), which becomes its value} */
    Mono<Long> add(String key, long amount);

    /**
     * Sets the key to {@code desired} if its value is {@code expected}; an empty {@code expected} stands for a key without a value.
     *
     * @return the value the key has afterwards, empty if it has none
     */
    Mono<Optional<byte[]>> compareSet(String key, byte[] expected, byte[] desired);

    /** {@return whether the key had a value; it has none afterwards} */
    Mono<Boolean> delete(String key);
}
