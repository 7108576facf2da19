package io.reactivecomm.internal.stream;

/**
 * Somebody who wants to know how long streams go on: the last messages between their two ends follow after their subscribers have been told.
 *
 * <p><b>Threads.</b> Any.
 */
public interface StreamWatch {

    /** Nobody. */
    StreamWatch NONE = new StreamWatch() {

        @Override
        public void begins() {}

        @Override
        public void ends() {}
    };

    /** An end of a stream begins. */
    void begins();

    /** It makes no further call. */
    void ends();
}
