package io.reactivecomm.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls by deadline.
 *
 * <p>Nearly all calls of a program have one timeout, and calls of one timeout end in the order in which they began: a line for each timeout,
 * threaded through the calls, makes adding and removing cheap without a heap. Owned by the loop.
 */
final class Deadlines {

    /** Later than any time. */
    static final long NEVER = Long.MAX_VALUE;

    /** Lines without a call that are kept for the next one of their timeout. */
    private static final int EMPTY_KEPT = 64;

    private final Map<Long, Line> byTimeout = new HashMap<>();
    private @Nullable Line latest;

    /** The calls of one timeout, oldest first. */
    static final class Line {

        private final long timeoutNanos;
        private @Nullable Call first;
        private @Nullable Call last;

        private Line(long timeoutNanos) {
            this.timeoutNanos = timeoutNanos;
        }

        private void add(Call call) {
            call.line = this;
            call.dueBefore = last;
            if (last == null) {
                first = call;
            } else {
                last.dueAfter = call;
            }
            last = call;
        }

        private void remove(Call call) {
            if (call.dueBefore == null) {
                first = call.dueAfter;
            } else {
                call.dueBefore.dueAfter = call.dueAfter;
            }
            if (call.dueAfter == null) {
                last = call.dueBefore;
            } else {
                call.dueAfter.dueBefore = call.dueBefore;
            }
            call.line = null;
            call.dueBefore = null;
            call.dueAfter = null;
        }
    }

    void add(Call call) {
        long timeout = call.submission().timeoutNanos();
        Line line = latest;
        if (line == null || line.timeoutNanos != timeout) {
            line = byTimeout.computeIfAbsent(timeout, Line::new);
            latest = line;
        }
        line.add(call);
    }

    void remove(Call call) {
        Line line = call.line;
        if (line != null) {
            line.remove(call);
            if (line.first == null && byTimeout.size() > EMPTY_KEPT) {
                byTimeout.values().removeIf(each -> each.first == null);
                latest = null;
            }
        }
    }

    /** {@return when the first call is due, or {@link #NEVER}} */
    long next() {
        long next = NEVER;
        for (Line line : byTimeout.values()) {
            next = line.first == null ? next : Math.min(next, line.first.deadline());
        }
        return next;
    }

    /** {@return the calls that are due, which stay until they are removed} */
    List<Call> due(long now) {
        List<Call> due = new ArrayList<>();
        for (Line line : byTimeout.values()) {
            for (Call call = line.first; call != null && call.deadline() <= now; call = call.dueAfter) {
                due.add(call);
            }
        }
        return due;
    }
}
