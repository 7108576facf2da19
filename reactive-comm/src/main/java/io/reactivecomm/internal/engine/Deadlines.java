package io.reactivecomm.internal.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls by deadline.
 *
 * <p>Nearly all calls of a program have one timeout, and calls of one timeout end in the order in which they began: a line for each timeout,
 * threaded through the calls, makes adding and removing cheap. The lines that have calls are a heap by whose first call is due first, so that
 * a program of many timeouts costs their logarithm. Owned by the loop.
 *
 * <pre>
 *   heap   [ 30 s line | 5 s line | 60 s line ]        each before those at twice its place and one more, and at twice and two more
 *                │           └─&gt; call ─&gt; call
 *                └─&gt; call ─&gt; call ─&gt; call              by due time; a call that had waited for the loop goes before younger ones
 * </pre>
 */
final class Deadlines {

    /** Later than any time. */
    static final long NEVER = Long.MAX_VALUE;

    /** Lines without a call that are kept for the next one of their timeout. */
    private static final int EMPTY_KEPT = 64;

    private final Map<Long, Line> byTimeout = new HashMap<>();
    private final List<Line> heap = new ArrayList<>();
    private @Nullable Line latest;
    private long looks;

    /** The calls of one timeout, the first that is due first. */
    static final class Line {

        private static final int NOWHERE = -1;

        private final long timeoutNanos;
        private @Nullable Call first;
        private @Nullable Call last;
        /** When the first call is due, as the heap has it. */
        private long due;
        /** Where the line is in the heap. */
        private int place = NOWHERE;

        private Line(long timeoutNanos) {
            this.timeoutNanos = timeoutNanos;
        }

        /** Adds a call where it belongs: nearly always at the end. {@return how many younger ones it passed} */
        private int add(Call call) {
            int passed = 0;
            Call before = last;
            while (before != null && before.deadline() > call.deadline()) {
                before = before.dueBefore;
                passed++;
            }
            Call after = before == null ? first : before.dueAfter;
            call.line = this;
            join(before, call);
            join(call, after);
            return passed;
        }

        private void remove(Call call) {
            join(call.dueBefore, call.dueAfter);
            call.line = null;
            call.dueBefore = null;
            call.dueAfter = null;
        }

        private void join(@Nullable Call before, @Nullable Call after) {
            if (before == null) {
                first = after;
            } else {
                before.dueAfter = after;
            }
            if (after == null) {
                last = before;
            } else {
                after.dueBefore = before;
            }
        }
    }

    void add(Call call) {
        long timeout = call.submission().timeoutNanos();
        Line line = latest;
        if (line == null || line.timeoutNanos != timeout) {
            line = byTimeout.computeIfAbsent(timeout, Line::new);
            latest = line;
        }
        looks += 1 + line.add(call);
        if (line.place == Line.NOWHERE) {
            line.place = heap.size();
            heap.add(line);
        }
        place(line);
    }

    void remove(Call call) {
        Line line = call.line;
        if (line == null) {
            return;
        }
        line.remove(call);
        looks++;
        if (line.first != null) {
            place(line);
            return;
        }
        drop(line);
        if (byTimeout.size() - heap.size() > EMPTY_KEPT) {
            byTimeout.remove(line.timeoutNanos);
            latest = latest == line ? null : latest;
        }
    }

    /** Takes a line without a call out of the heap. */
    private void drop(Line line) {
        Line moved = heap.removeLast();
        if (moved != line) {
            put(moved, line.place);
            place(moved);
        }
        line.place = Line.NOWHERE;
    }

    /** Brings a line, whose first call may be another, to its place in the heap. */
    private void place(Line line) {
        line.due = line.first == null ? NEVER : line.first.deadline();
        int up = (line.place - 1) / 2;
        while (line.place > 0 && heap.get(up).due > line.due) {
            swap(line, heap.get(up));
            up = (line.place - 1) / 2;
        }
        Line down = earlierBelow(line.place);
        while (down != null && down.due < line.due) {
            swap(line, down);
            down = earlierBelow(line.place);
        }
    }

    private @Nullable Line earlierBelow(int place) {
        int left = 2 * place + 1;
        if (left >= heap.size()) {
            return null;
        }
        boolean hasRight = left + 1 < heap.size();
        return hasRight && heap.get(left + 1).due < heap.get(left).due ? heap.get(left + 1) : heap.get(left);
    }

    private void swap(Line one, Line other) {
        int place = one.place;
        put(one, other.place);
        put(other, place);
        looks++;
    }

    private void put(Line line, int place) {
        heap.set(place, line);
        line.place = place;
    }

    /** {@return when the first call is due, or {@link #NEVER}} */
    long next() {
        looks++;
        return heap.isEmpty() ? NEVER : heap.getFirst().due;
    }

    /** {@return the calls that are due, which stay until they are removed} */
    List<Call> due(long now) {
        List<Call> due = new ArrayList<>();
        addDue(0, now, due);
        return due;
    }

    /** Looks at a line and those below it in the heap, none of which is due earlier. */
    private void addDue(int place, long now, List<Call> due) {
        looks++;
        if (place >= heap.size() || heap.get(place).due > now) {
            return;
        }
        for (Call call = heap.get(place).first; call != null && call.deadline() <= now; call = call.dueAfter) {
            due.add(call);
            looks++;
        }
        addDue(2 * place + 1, now, due);
        addDue(2 * place + 2, now, due);
    }

    /** {@return lines and calls that were looked at so far: what deadlines cost} */
    long looks() {
        return looks;
    }

    /** {@return lines that are kept, with calls or without} */
    int lines() {
        return byTimeout.size();
    }
}
