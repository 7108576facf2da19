package io.reactivecomm.spi;

/**
 * The calls of a group that this rank's program has assembled, for peers that wait for one of them. By default nothing is known of the program.
 *
 * <p><b>Threads.</b> Any.
 */
public interface AssembledCalls {

    /** Those of a program of which nothing is known. */
    AssembledCalls UNKNOWN = new AssembledCalls() {};

    /** {@return whether the program has assembled a call, and whoever holds it may subscribe to it} It may have done so. */
    default boolean contains(CallKey.Ticket key) {
        return false;
    }

    /** {@return whether a call may still be made; not one of a step that is over here and was made without it} */
    default boolean mayMake(CallKey.Ticket key) {
        return true;
    }

    /**
     * {@return why something of a step is not made here that may not be}
     *
     * @param what a call or a message, in words
     */
    default Failure whyNot(long step, String what) {
        throw new IllegalStateException("nothing is known of the program: step=" + step + ", what=" + what);
    }
}
