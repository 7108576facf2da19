package io.reactivecomm.internal.group;

import io.reactivecomm.internal.engine.Submission;

/**
 * The count of the calls of one place: a group by itself, one of its steps, or a run of a composite call. It gives calls their tickets, and hears of
 * each that is subscribed to.
 *
 * <p><b>Threads.</b> Any.
 */
interface CallCounts {

    /** {@return the step in which calls are counted, or {@link io.reactivecomm.spi.CallKey#NO_STEP}} */
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
}
