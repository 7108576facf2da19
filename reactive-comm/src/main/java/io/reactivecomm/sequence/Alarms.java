package io.reactivecomm.sequence;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The times at which calls want attention next. */
final class Alarms {

    private final TreeMap<Alarm, MemberCall> all = new TreeMap<>();

    /** The number keeps those of one time apart. */
    record Alarm(long at, long number) implements Comparable<Alarm> {

        @Override
        public int compareTo(Alarm other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    void add(MemberCall entry) {
        all.put(entry.alarm(), entry);
    }

    void remove(MemberCall entry) {
        all.remove(entry.alarm());
    }

    /** {@return the call that wants attention first, which it has now; null if none wants it yet} */
    @Nullable MemberCall due(long now) {
        return next() <= now ? all.pollFirstEntry().getValue() : null;
    }

    /** {@return when the first call wants attention, or {@link Leader#NEVER}} */
    long next() {
        return all.isEmpty() ? Leader.NEVER : all.firstKey().at();
    }
}
