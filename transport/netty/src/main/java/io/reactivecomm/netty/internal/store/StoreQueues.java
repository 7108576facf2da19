package io.reactivecomm.netty.internal.store;

import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The store's queues of values, and who waits for one. A queue holds values or takers, never both, and is there only as long as it does.
 *
 * <p><b>Errors.</b> An {@link IllegalArgumentException} with the sentence for the requester.
 *
 * <p><b>Threads.</b> The store's.
 */
final class StoreQueues {

    /** A session that waits for a value. */
    interface Taker {

        void taken(byte[] value);
    }

    private final StoreBudget budget;
    private final Map<String, Deque<byte[]>> values = new HashMap<>();
    private final Map<String, Set<Taker>> takers = new HashMap<>();

    StoreQueues(StoreBudget budget) {
        this.budget = budget;
    }

    /** {@return how many values the queue holds afterwards: 0 if a taker got this one} */
    long push(String queue, byte[] value) {
        return serve(queue, value) ? 0 : enqueue(queue, value, false);
    }

    /** Gives a value that did not reach its taker to the next one, or puts it first. */
    void putBack(String queue, byte[] value) {
        if (!serve(queue, value)) {
            enqueue(queue, value, true);
        }
    }

    private boolean serve(String queue, byte[] value) {
        StoreBudget.requireValue(queue, value.length);
        Set<Taker> waiting = takers.get(queue);
        if (waiting == null) {
            return false;
        }
        Iterator<Taker> first = waiting.iterator();
        Taker taker = first.next();
        first.remove();
        if (waiting.isEmpty()) {
            takers.remove(queue);
        }
        taker.taken(value);
        return true;
    }

    private long enqueue(String queue, byte[] value, boolean first) {
        int held = values.containsKey(queue) ? values.get(queue).size() : 0;
        if (held >= Rendezvous.MAX_QUEUED) {
            throw new IllegalArgumentException("the queue is full: queue=" + queue + ", values=" + held + ", most="
                    + Rendezvous.MAX_QUEUED + "; pop from it first");
        }
        budget.change(queue, 0, StoreBudget.sizeOf(queue, value));
        Deque<byte[]> queued = values.computeIfAbsent(queue, _ -> new ArrayDeque<>());
        if (first) {
            queued.addFirst(value);
        } else {
            queued.addLast(value);
        }
        return queued.size();
    }

    /** Calls the taker back now or once there is a value for it. */
    void pop(String queue, Taker taker) {
        Deque<byte[]> queued = values.get(queue);
        if (queued == null) {
            takers.computeIfAbsent(queue, _ -> new LinkedHashSet<>()).add(taker);
            return;
        }
        byte[] value = queued.removeFirst();
        if (queued.isEmpty()) {
            values.remove(queue);
        }
        budget.change(queue, StoreBudget.sizeOf(queue, value), 0);
        taker.taken(value);
    }

    void forget(String queue, Taker taker) {
        Set<Taker> waiting = takers.get(queue);
        if (waiting != null && waiting.remove(taker) && waiting.isEmpty()) {
            takers.remove(queue);
        }
    }
}
