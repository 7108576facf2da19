package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.AssembledCalls;

/**
 * The calls and messages of a group that this rank's program has assembled, for peers that wait for one of them. By default nothing is known of the
 * program.
 *
 * <p><b>Threads.</b> Any.
 */
public interface ProgramCalls extends AssembledCalls {

    /** Those of a program of which nothing is known. */
    ProgramCalls UNKNOWN = new ProgramCalls() {};

    /** {@return whether a further message of a numbered scope may come that is sent to a rank of the group} */
    default boolean maySend(Channel channel, int peer) {
        return true;
    }

    /** {@return whether a further message of a numbered scope may be received from a rank of the group} */
    default boolean mayReceive(Channel channel, int source) {
        return true;
    }

    /**
     * {@return why something of a numbered scope is not made here that may not be}
     *
     * @param what a call or a message, in words
     */
    default Failure whyNot(long step, String what) {
        throw new IllegalStateException("nothing is known of the program: number=" + step + ", what=" + what);
    }

    /** {@return whether anything of a numbered scope may still be made, or is under way} */
    default boolean knows(long step) {
        return true;
    }
}
