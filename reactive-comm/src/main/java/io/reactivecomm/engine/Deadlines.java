package io.reactivecomm.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The calls by deadline.
 *
 * <p>Nearly all calls of a program have one timeout, and calls of one timeout end in the order in which they began: a queue for each
 * timeout makes adding and removing cheap without a heap. Owned by the loop.
 */
final class Deadlines {

    /** Later than any time. */
    static final long NEVER = Long.MAX_VALUE;

    private final Map<Long, Set<Call>> byTimeout = new HashMap<>();

    void add(Call call) {
        byTimeout.computeIfAbsent(call.submission().timeoutNanos(), ignored -> new LinkedHashSet<>()).add(call);
    }

    void remove(Call call) {
        long timeout = call.submission().timeoutNanos();
        Set<Call> calls = byTimeout.get(timeout);
        if (calls != null && calls.remove(call) && calls.isEmpty()) {
            byTimeout.remove(timeout);
        }
    }

    /** {@return when the first call is due, or {@link #NEVER}} */
    long next() {
        long next = NEVER;
        for (Set<Call> calls : byTimeout.values()) {
            next = Math.min(next, calls.iterator().next().deadline());
        }
        return next;
    }

    /** {@return the calls that are due, which stay until they are removed} */
    List<Call> due(long now) {
        List<Call> due = new ArrayList<>();
        for (Set<Call> calls : byTimeout.values()) {
            Iterator<Call> oldestFirst = calls.iterator();
            boolean more = true;
            while (more && oldestFirst.hasNext()) {
                Call call = oldestFirst.next();
                more = call.deadline() <= now;
                if (more) {
                    due.add(call);
                }
            }
        }
        return due;
    }
}
