package io.reactivecomm.spi;

/**
 * A loop that can look at memory between its tasks, for links that nothing wakes it for.
 *
 * <p><b>Threads.</b> The loop.
 */
public interface PollingLoop extends Loop {

    /** From now on the loop looks there, each time it has nothing else to do and often while it has. */
    void add(Poller poller);

    /** Looks there no more. Idempotent. */
    void remove(Poller poller);

    /** A place to look at. */
    interface Poller {

        /** {@return whether there was something, which has been dealt with} */
        boolean poll();

        /**
         * The loop is about to sleep: whoever brings something from here on must wake it.
         *
         * @return whether it may; not if something has come meanwhile, and then nobody need wake it
         */
        boolean park();

        /** The loop is awake: nobody need wake it. */
        void unpark();
    }
}
