package io.reactivecomm.internal.group;

import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.spi.CallKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The count of the calls of one place: a group by itself, one of its steps, or a run of a composite call. It gives calls their tickets, and hears of
 * each that is subscribed to.
 *
 * <p><b>Threads.</b> Any.
 */
interface CallCounts {

    /** {@return the step in which calls are counted, or {@link CallKey#NO_STEP}} */
    long step();

    /**
     * {@return the next ticket of a name}
     *
     * @throws io.reactivecomm.InvalidCallException if it would be one of a step that is over
     */
    long take(String name);

    /**
     * A message or a receive is assembled.
     *
     * @throws io.reactivecomm.InvalidCallException if it would be one of a step that is over
     */
    void assembled(Submission.Address message);

    /**
     * A call is subscribed to, for the n-th time, from 1; it is under way until its borrowing ends.
     *
     * @throws io.reactivecomm.InvalidCallException if its step is no longer known
     */
    void subscribed(String name, long ticket, int ordinal, BorrowedTensors call);

    /** The same of a message or a receive. */
    void subscribed(Submission.Address message, int ordinal, BorrowedTensors call);

    /**
     * The tickets of calls in one run of a composite call, by name. Nobody asks which of them were subscribed to: of a call inside a peer is told whether
     * the outermost composite call around it was.
     *
     * <p><b>Threads.</b> Any, without a lock.
     */
    final class OfRun implements CallCounts {

        private final Map<String, AtomicLong> next = new ConcurrentHashMap<>();

        @Override
        public long step() {
            return CallKey.NO_STEP;
        }

        @Override
        public long take(String name) {
            return next.computeIfAbsent(name, ignored -> new AtomicLong()).getAndIncrement();
        }

        @Override
        public void assembled(Submission.Address message) {}

        @Override
        public void subscribed(String name, long ticket, int ordinal, BorrowedTensors call) {}

        @Override
        public void subscribed(Submission.Address message, int ordinal, BorrowedTensors call) {}
    }
}
