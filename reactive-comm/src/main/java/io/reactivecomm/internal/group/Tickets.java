package io.reactivecomm.internal.group;

import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.spi.CallKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The tickets of calls of a group that are in no step, or of one step, by name, and which of the latest nobody has subscribed to.
 *
 * <p><b>Threads.</b> Any, without a lock. Who subscribes to a call while a thousand younger ones are assembled may be taken for the subscriber of one of
 * these; that one is then not named to a peer that waits for it, and nothing else depends on it.
 */
final class Tickets implements CallCounts {

    /** The calls of a name of which it is known whether they were subscribed to. */
    private static final int REMEMBERED = 1024;

    private final Map<String, Line> lines = new ConcurrentHashMap<>();

    /** The calls of one name. */
    private static final class Line {

        private final AtomicLong next = new AtomicLong();
        /** One bit for each of the latest, in a ring: whether it was subscribed to. */
        private final AtomicLongArray subscribed = new AtomicLongArray(REMEMBERED / Long.SIZE);

        private long take() {
            long ticket = next.getAndIncrement();
            if (ticket >= REMEMBERED) {
                subscribed.getAndUpdate(word(ticket), bits -> bits & ~bit(ticket));
            }
            return ticket;
        }

        private void subscribed(long ticket) {
            if (isRemembered(ticket)) {
                subscribed.getAndUpdate(word(ticket), bits -> bits | bit(ticket));
            }
        }

        private boolean isRemembered(long ticket) {
            return ticket >= next.get() - REMEMBERED;
        }

        private boolean isUnclaimed(long ticket) {
            return ticket < next.get() && isRemembered(ticket) && (subscribed.get(word(ticket)) & bit(ticket)) == 0;
        }

        private static int word(long ticket) {
            return (int) (ticket % REMEMBERED) / Long.SIZE;
        }

        private static long bit(long ticket) {
            return 1L << ticket % Long.SIZE;
        }
    }

    @Override
    public long step() {
        return CallKey.NO_STEP;
    }

    @Override
    public long take(String name) {
        return lines.computeIfAbsent(name, ignored -> new Line()).take();
    }

    @Override
    public void assembled(Submission.Address message) {}

    @Override
    public void subscribed(String name, long ticket, int ordinal, BorrowedTensors call) {
        Line line = ordinal == 1 ? lines.get(name) : null;
        if (line != null) {
            line.subscribed(ticket);
        }
    }

    @Override
    public void subscribed(Submission.Address message, int ordinal, BorrowedTensors call) {}

    /** {@return whether a ticket has been taken} */
    boolean contains(String name, long ticket) {
        Line line = lines.get(name);
        return line != null && ticket < line.next.get();
    }

    /** {@return whether a ticket is one of the latest and nobody has subscribed to its call} */
    boolean isUnclaimed(String name, long ticket) {
        Line line = lines.get(name);
        return line != null && line.isUnclaimed(ticket);
    }
}
