package io.reactivecomm.timing;

import io.reactivecomm.observe.ObservedCall;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The records of a logger since its last reset, by kind.
 *
 * <p>Open addressing with linear probing, in an array that is at most half full and is never changed once it is published: a reader needs no lock
 * and makes no key. A new kind copies it, which happens once for each kind.
 *
 * <p><b>Threads.</b> Any.
 */
final class KindTable {

    private static final int FIRST_SLOTS = 64;

    private final Instant since = Instant.now();
    private final LongAdder unlisted = new LongAdder();
    private final boolean isDetailed;
    private volatile @Nullable KindRecord[] slots = new @Nullable KindRecord[FIRST_SLOTS];
    /** Guarded by this. */
    private int size;

    KindTable(boolean isDetailed) {
        this.isDetailed = isDetailed;
    }

    Instant since() {
        return since;
    }

    /** {@return how many calls found no room, each once for each row that it would have had as a call} */
    long unlisted() {
        return unlisted.sum();
    }

    List<CommsSummary.Row> rows() {
        return Arrays.stream(slots)
                .filter(Objects::nonNull)
                .map(KindRecord::row)
                .sorted(Comparator.comparing(CommsSummary.Row::kind))
                .toList();
    }

    /** {@return the latest latencies of calls without a tag, by operation and size} */
    Map<String, Map<Long, List<Long>>> raw() {
        Map<String, Map<Long, List<Long>>> raw = new TreeMap<>();
        for (KindRecord each : slots) {
            if (each != null && each.kind.tag().isEmpty()) {
                raw.computeIfAbsent(each.kind.operation(), ignored -> new TreeMap<>())
                        .computeIfAbsent(each.kind.byteSize(), ignored -> new ArrayList<>())
                        .addAll(each.latest());
            }
        }
        return raw;
    }

    /** {@return the record of the call's kind, or null if there are too many kinds: then the call is counted as unlisted} */
    @Nullable KindRecord of(ObservedCall call, String backend, String tag) {
        String name = isDetailed ? call.name() : "";
        String site = isDetailed ? call.callSite() : "";
        KindRecord found = of(call.operation(), call.byteSize(), call.groupSize(), backend, name, site, tag);
        if (found == null) {
            unlisted.increment();
        }
        return found;
    }

    /** {@return the record of what operators with that tag are subscribed to, or null if there are too many kinds} No call is unlisted for want of that. */
    @Nullable KindRecord timed(String tag) {
        return of(LoggedKind.TIMED, 0, 0, "", "", "", tag);
    }

    private @Nullable KindRecord of(
            String operation, long byteSize, int groupSize, String backend, String name, String site, String tag) {
        KindRecord found = find(operation, byteSize, groupSize, backend, name, site, tag);
        if (found == null) {
            add(new LoggedKind(operation, byteSize, groupSize, backend, name, site, tag));
            found = find(operation, byteSize, groupSize, backend, name, site, tag);
        }
        return found;
    }

    private @Nullable KindRecord find(LoggedKind kind) {
        return find(
                kind.operation(),
                kind.byteSize(),
                kind.groupSize(),
                kind.backend(),
                kind.name(),
                kind.callSite(),
                kind.tag());
    }

    private @Nullable KindRecord find(
            String operation, long byteSize, int groupSize, String backend, String name, String site, String tag) {
        @Nullable KindRecord[] now = slots;
        int mask = now.length - 1;
        int at = hash(operation, byteSize, groupSize, backend, name, site, tag) & mask;
        KindRecord each = now[at];
        while (each != null && !isOf(each.kind, operation, byteSize, groupSize, backend, name, site, tag)) {
            at = at + 1 & mask;
            each = now[at];
        }
        return each;
    }

    private static boolean isOf(
            LoggedKind kind,
            String operation,
            long byteSize,
            int groupSize,
            String backend,
            String name,
            String site,
            String tag) {
        return kind.byteSize() == byteSize
                && kind.groupSize() == groupSize
                && kind.operation().equals(operation)
                && kind.backend().equals(backend)
                && kind.name().equals(name)
                && kind.callSite().equals(site)
                && kind.tag().equals(tag);
    }

    /** Sizes are often multiples of large powers of two: the high bits of the product are mixed down. */
    private static int hash(
            String operation, long byteSize, int groupSize, String backend, String name, String site, String tag) {
        int words = 31 * (31 * (31 * operation.hashCode() + backend.hashCode()) + name.hashCode())
                + 17 * site.hashCode()
                + tag.hashCode();
        long mixed = (byteSize + groupSize * 31L + words) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> Integer.SIZE);
    }

    private static int hash(LoggedKind kind) {
        return hash(
                kind.operation(),
                kind.byteSize(),
                kind.groupSize(),
                kind.backend(),
                kind.name(),
                kind.callSite(),
                kind.tag());
    }

    private synchronized void add(LoggedKind kind) {
        if (find(kind) != null || size == CommsLogger.MOST_KINDS) {
            return;
        }
        size++;
        @Nullable KindRecord[] before = slots;
        @Nullable KindRecord[] more = new @Nullable KindRecord[size * 2 > before.length ? before.length * 2 : before.length];
        for (KindRecord each : before) {
            if (each != null) {
                put(more, each);
            }
        }
        put(more, new KindRecord(kind));
        slots = more;
    }

    private static void put(@Nullable KindRecord[] slots, KindRecord one) {
        int at = hash(one.kind) & slots.length - 1;
        while (slots[at] != null) {
            at = at + 1 & slots.length - 1;
        }
        slots[at] = one;
    }
}
