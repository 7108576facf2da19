package io.reactivecomm.internal.switches;

import io.reactivecomm.Operation;
import io.reactivecomm.spi.CallKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The calls of this rank that are off, for peers that wait for one of them: ranges of tickets for each name, and ranges of runs for a composite call that is off
 * in some of its runs. A range has the operations that were off.
 *
 * <pre>
 *   name "grad"   0 ─ 99_999 [all-reduce]   100_003 ─ 100_003 [all-reduce, broadcast]
 * </pre>
 *
 * <p>Ranges have one bound together. The oldest of the name that was used least recently are forgotten.
 *
 * <p><b>Threads.</b> Any.
 */
public final class OffCalls {

    /** The ranges that are kept: a few megabytes. */
    static final int MOST = 16_384;

    /** In a name's identity, which is that of a call without its numbers. */
    private static final int ALL = -1;

    private final SequencedMap<CallKey.Ticket, TreeMap<Long, Range>> lines = new LinkedHashMap<>(16, 0.75f, true);
    private int size;
    private volatile boolean isEmpty = true;

    private record Range(long last, Set<Operation> off) {}

    /** A call is off, in all its subscriptions. */
    public void add(CallKey.Ticket call, Set<Operation> off) {
        add(name(call), call.ticket(), off);
    }

    /** One run of a composite call is off. */
    public void addRun(CallKey.Ticket run, Set<Operation> off) {
        add(runs(run), run.ordinal(), off);
    }

    /** {@return the operations that were off if the call is, or null} */
    public @Nullable Set<Operation> find(CallKey.Ticket call) {
        // Peers' openings ask for every call, and nearly always nothing is off.
        return isEmpty ? null : lookUp(call);
    }

    private synchronized @Nullable Set<Operation> lookUp(CallKey.Ticket call) {
        Set<Operation> off = find(name(call), call.ticket());
        return off == null ? find(runs(call), call.ordinal()) : off;
    }

    private @Nullable Set<Operation> find(CallKey.Ticket line, long number) {
        TreeMap<Long, Range> ranges = lines.get(line);
        Map.Entry<Long, Range> before = ranges == null ? null : ranges.floorEntry(number);
        return before == null || before.getValue().last < number ? null : before.getValue().off;
    }

    private synchronized void add(CallKey.Ticket line, long number, Set<Operation> off) {
        TreeMap<Long, Range> ranges = lines.computeIfAbsent(line, ignored -> new TreeMap<>());
        long first = number;
        long last = number;
        Map.Entry<Long, Range> before = ranges.floorEntry(number);
        if (before != null && before.getValue().last >= number) {
            return;
        }
        if (before != null
                && before.getValue().last == number - 1
                && before.getValue().off.equals(off)) {
            first = before.getKey();
            size--;
        }
        Range after = ranges.get(number + 1);
        if (after != null && after.off.equals(off)) {
            last = after.last;
            ranges.remove(number + 1);
            size--;
        }
        ranges.put(first, new Range(last, off));
        size++;
        isEmpty = false;
        forgetOldest();
    }

    private void forgetOldest() {
        while (size > MOST) {
            TreeMap<Long, Range> ranges = lines.firstEntry().getValue();
            ranges.pollFirstEntry();
            size--;
            if (ranges.isEmpty()) {
                lines.pollFirstEntry();
            }
        }
    }

    /** {@return how many ranges are kept} */
    synchronized int size() {
        return size;
    }

    private static CallKey.Ticket name(CallKey.Ticket call) {
        return new CallKey.Ticket(
                call.generation(), call.group(), call.step(), call.name(), ALL, ALL, call.enclosure());
    }

    private static CallKey.Ticket runs(CallKey.Ticket call) {
        return new CallKey.Ticket(
                call.generation(), call.group(), call.step(), call.name(), call.ticket(), ALL, call.enclosure());
    }
}
