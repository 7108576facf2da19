package io.reactivecomm.netty;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivecomm.spi.Rendezvous;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The store's keys and values, and who waits for a key.
 *
 * <p><b>Errors.</b> An {@link IllegalArgumentException} with the sentence for the requester.
 *
 * <p><b>Threads.</b> The store's.
 */
final class StoreTable {

    /** All keys and values together: addresses and ids of any world fit, data does not. */
    static final long MAX_BYTES = 64L * 1024 * 1024;

    /** Who waits for a value. */
    interface Waiter {

        void found(byte[] value);
    }

    private final Map<String, byte[]> values = new HashMap<>();
    private final Map<String, Set<Waiter>> waiters = new HashMap<>();
    private long bytes;

    void set(String key, byte[] value) {
        if (value.length > Rendezvous.MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("value is too long for the store: key=" + key + ", bytes=" + value.length
                    + ", most=" + Rendezvous.MAX_VALUE_BYTES + "; use a collective for data");
        }
        long size = bytes - sizeOf(key, values.get(key)) + sizeOf(key, value);
        if (size > MAX_BYTES) {
            throw new IllegalArgumentException("the store is full: key=" + key + ", bytes=" + size + ", most="
                    + MAX_BYTES + "; delete keys no longer needed");
        }
        bytes = size;
        values.put(key, value);
        Set<Waiter> waiting = waiters.remove(key);
        if (waiting != null) {
            List.copyOf(waiting).forEach(waiter -> waiter.found(value));
        }
    }

    /** Calls the waiter back now or once the key has a value. */
    void get(String key, Waiter waiter) {
        byte[] value = values.get(key);
        if (value == null) {
            waiters.computeIfAbsent(key, _ -> new LinkedHashSet<>()).add(waiter);
        } else {
            waiter.found(value);
        }
    }

    void forget(String key, Waiter waiter) {
        Set<Waiter> waiting = waiters.get(key);
        if (waiting != null && waiting.remove(waiter) && waiting.isEmpty()) {
            waiters.remove(key);
        }
    }

    long add(String key, long amount) {
        byte[] value = values.get(key);
        try {
            long sum = Math.addExact(value == null ? 0 : Long.parseLong(new String(value, UTF_8)), amount);
            set(key, Long.toString(sum).getBytes(UTF_8));
            return sum;
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "cannot add to this key: key=" + key + ", amount=" + amount
                            + "; its value is no number, or the sum too large",
                    e);
        }
    }

    byte @Nullable [] compareSet(String key, byte[] expected, byte[] desired) {
        byte[] value = values.get(key);
        boolean matches = value == null ? expected.length == 0 : expected.length > 0 && Arrays.equals(value, expected);
        if (!matches) {
            return value;
        }
        set(key, desired);
        return desired;
    }

    boolean delete(String key) {
        byte[] value = values.remove(key);
        bytes -= sizeOf(key, value);
        return value != null;
    }

    private static long sizeOf(String key, byte @Nullable [] value) {
        return value == null ? 0 : 2L * key.length() + value.length;
    }
}
