package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The store's keys and values, and who waits for a key.
 *
 * <p><b>Errors.</b> An {@link IllegalArgumentException} with the sentence for the requester.
 *
 * <p><b>Threads.</b> The store's.
 */
final class StoreTable {

    /** A session that waits for a value. */
    interface Waiter {

        void found(byte[] value);
    }

    private final StoreBudget budget;
    /** In order, so that those which start alike lie together. */
    private final TreeMap<String, byte[]> values = new TreeMap<>();

    private final Map<String, Set<Waiter>> waiters = new HashMap<>();

    StoreTable(StoreBudget budget) {
        this.budget = budget;
    }

    void set(String key, byte[] value) {
        StoreBudget.requireValue(key, value.length);
        budget.change(key, sizeOf(key, values.get(key)), StoreBudget.sizeOf(key, value));
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

    /** {@return the length of the value afterwards} */
    long append(String key, byte[] more) {
        byte[] value = values.getOrDefault(key, new byte[0]);
        StoreBudget.requireValue(key, (long) value.length + more.length);
        byte[] both = Arrays.copyOf(value, value.length + more.length);
        System.arraycopy(more, 0, both, value.length, more.length);
        set(key, both);
        return both.length;
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
        budget.change(key, sizeOf(key, value), 0);
        return value != null;
    }

    boolean hasAll(Collection<String> keys) {
        return values.keySet().containsAll(keys);
    }

    /** {@return the first keys that start so, in order} */
    List<String> list(String prefix, int limit) {
        List<String> keys = new ArrayList<>();
        for (String key : values.tailMap(prefix).keySet()) {
            if (keys.size() == limit || !key.startsWith(prefix)) {
                break;
            }
            keys.add(key);
        }
        return keys;
    }

    private static long sizeOf(String key, byte @Nullable [] value) {
        return value == null ? 0 : StoreBudget.sizeOf(key, value);
    }
}
