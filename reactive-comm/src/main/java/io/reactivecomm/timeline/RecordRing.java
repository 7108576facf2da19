package io.reactivecomm.timeline;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of records, which many threads put in and one takes out. Nobody waits: where it is full, what is to be put in is left out.
 *
 * <p>A record's sequence tells whose turn it is. In a ring of four, of which three were put in and one of these was taken out:
 *
 * <pre>
 *   place       0    1    2    3          claimed next: 3     taken next: 1
 *   sequence    4    2    3    3          free for place 4, published at 1 and at 2, free for place 3
 * </pre>
 *
 * <p>Ends of calls may fill it, beginnings only half of it: of a call that has a beginning the end is then hardly ever left out.
 *
 * <p><b>Threads.</b> {@link #claim} and {@link #publish} any; {@link #drain} one at a time.
 *
 * <p><b>Source.</b> Dmitry Vyukov, "Bounded MPMC queue", 1024cores.net, with one consumer.
 */
final class RecordRing {

    private final Record[] records;
    private final int mask;
    private final AtomicLong claimed = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();

    /** @param capacity how many records it holds, a power of two */
    RecordRing(int capacity) {
        if (Integer.bitCount(capacity) != 1 || capacity < 2) {
            throw new IllegalArgumentException("a ring's capacity is no power of two: capacity=" + capacity);
        }
        records = new Record[capacity];
        mask = capacity - 1;
        for (int place = 0; place < capacity; place++) {
            records[place] = new Record(place);
        }
    }

    /**
     * {@return a record to be filled in and published at once, or null if there is no room for it}
     *
     * @param isEnd whether all of the room is for it
     */
    @Nullable Record claim(boolean isEnd) {
        while (true) {
            long place = claimed.get();
            Record record = records[(int) place & mask];
            long ahead = record.sequence() - place;
            if (ahead < 0 || (!isEnd && place - taken.getPlain() > records.length / 2)) {
                return null;
            }
            if (ahead == 0 && claimed.compareAndSet(place, place + 1)) {
                return record;
            }
        }
    }

    /** A claimed record is filled in. {@return whether it is the one that makes the ring a quarter full} */
    boolean publish(Record record) {
        long next = record.sequence() + 1;
        record.sequence(next);
        return next - taken.getPlain() == records.length / 4;
    }

    /** Hands over all that are published, in the order of their claims, and lets go of them. */
    void drain(Consumer<Record> to) {
        long place = taken.get();
        for (Record record = records[(int) place & mask];
                record.sequence() == place + 1;
                record = records[(int) place & mask]) {
            try {
                to.accept(record);
            } finally {
                record.clear();
                record.sequence(place + records.length);
                place++;
                taken.lazySet(place);
            }
        }
    }

    /** {@return how many records were claimed} */
    long claimed() {
        return claimed.get();
    }

    /** {@return how many records were taken out} */
    long taken() {
        return taken.get();
    }

    boolean isEmpty() {
        return claimed.get() == taken.get();
    }
}
