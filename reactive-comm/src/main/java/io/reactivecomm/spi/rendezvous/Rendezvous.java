package io.reactivecomm.spi.rendezvous;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * A small key-value store that all ranks reach, through which they find each other.
 *
 * <p><b>Shapes.</b> Keys and values are at most {@link #MAX_KEY_BYTES} and {@link #MAX_VALUE_BYTES} long. The store as a whole is bounded,
 * queues and keys that are waited for included: it is for addresses, ids and signals, not for data. Keys and queues have separate names:
 * a queue {@code a} is no key {@code a}.
 *
 * <p><b>Subscription and cancellation.</b> Each subscription asks anew. Cancelling withdraws a wait; what changes the store may have
 * happened or not.
 *
 * <p><b>Errors.</b> {@link io.reactivecomm.RendezvousException} when the store has gone, refuses, is full, or a wait runs out. A request
 * beyond a limit is refused and changes nothing.
 */
public interface Rendezvous {

    /** Longest key, prefixes included, in UTF-8 bytes. */
    int MAX_KEY_BYTES = 1024;

    /** Longest value, in bytes: large enough for addresses and ids, too small to misuse the store for data. */
    int MAX_VALUE_BYTES = 64 * 1024;

    /** Most keys that one request may name, or one answer list: one for each rank of a large world, and at most a MiB. */
    int MAX_KEYS = 1024;

    /** Most values that a queue may hold. */
    int MAX_QUEUED = 4096;

    /** Sets a key, whether or not it has a value. */
    Mono<Void> set(String key, byte[] value);

    /** {@return the value of the key, waiting for it to be set} */
    Mono<byte[]> get(String key, Duration deadline);

    /** {@return the sum of the amount and the decimal number under the key (0 if unset), which becomes its value} */
    Mono<Long> add(String key, long amount);

    /**
     * Appends to the value of a key, or sets it if it has none.
     *
     * @return the length of the value afterwards, in bytes
     */
    Mono<Long> append(String key, byte[] value);

    /**
     * Sets the key to {@code desired} if its value is {@code expected}; an empty {@code expected} stands for a key without a value.
     *
     * @return the value the key has afterwards, empty if it has none
     */
    Mono<Optional<byte[]>> compareSet(String key, byte[] expected, byte[] desired);

    /** {@return whether the key had a value; it has none afterwards} */
    Mono<Boolean> delete(String key);

    /**
     * {@return whether all of these keys have a value now}
     *
     * @param keys at most {@link #MAX_KEYS}
     */
    Mono<Boolean> check(Collection<String> keys);

    /**
     * Completes once each of these keys has been set: one that is deleted while others are waited for counts as set.
     *
     * <p><b>Errors.</b> At the deadline, one that names the keys not set.
     *
     * @param keys at most {@link #MAX_KEYS}
     */
    Mono<Void> await(Collection<String> keys, Duration deadline);

    /**
     * {@return the first keys, in order, that start with the prefix and have a value}
     *
     * @param limit at most so many, 1 to {@link #MAX_KEYS}
     */
    Mono<List<String>> list(String prefix, int limit);

    /**
     * Puts a value at the end of a queue, which is there as long as it holds values.
     *
     * @return how many it holds afterwards, {@link #MAX_QUEUED} at most; 0 if somebody was waiting for the value
     */
    Mono<Long> push(String queue, byte[] value);

    /**
     * Takes the first value of a queue, waiting for one to come. Who has waited longest is served first.
     *
     * <p><b>Subscription and cancellation.</b> A value that reaches a rank which has cancelled goes back to the head of its queue. One
     * under way to a rank whose connection ends is lost.
     */
    Mono<byte[]> pop(String queue, Duration deadline);

    /**
     * {@return a view of this store in which each key and queue {@code k} is the store's {@code prefix/k}}
     *
     * <p>A view of a view nests. Names that the view lists are its own, without the prefix; messages name the store's.
     */
    default Rendezvous prefixed(String prefix) {
        return new PrefixedRendezvous(this, prefix + "/");
    }
}
