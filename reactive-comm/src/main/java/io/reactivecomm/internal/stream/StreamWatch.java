package io.reactivecomm.internal.stream;

import io.reactivecomm.InvalidCallException;

/**
 * Somebody who wants to know how long streams go on: the last messages between their two ends follow after their subscribers have been told.
 *
 * <p><b>Threads.</b> Any.
 */
public interface StreamWatch {

    /** Nobody. */
    StreamWatch NONE = new StreamWatch() {

        @Override
        public void assembled(StreamPlace stream) {}

        @Override
        public void begins(StreamPlace stream, boolean isFirst) {}

        @Override
        public void ends(StreamPlace stream) {}
    };

    /**
     * An end of a stream is assembled.
     *
     * @throws InvalidCallException if it is too late for that
     */
    void assembled(StreamPlace stream);

    /**
     * One that was assembled begins.
     *
     * @param isFirst whether it does so for the first time
     * @throws InvalidCallException if it is too late for that
     */
    void begins(StreamPlace stream, boolean isFirst);

    /** It makes no further call. */
    void ends(StreamPlace stream);
}
