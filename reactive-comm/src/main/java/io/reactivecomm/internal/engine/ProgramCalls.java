package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.AssembledCalls;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;

/**
 * The calls and messages of a group that this rank's program has assembled, for peers that wait for one of them.
 *
 * <p><b>Threads.</b> Any.
 */
public interface ProgramCalls extends AssembledCalls {

    /** Those of a program of which nothing is known. */
    ProgramCalls UNKNOWN = new ProgramCalls() {
        @Override
        public boolean contains(CallKey.Ticket key) {
            return AssembledCalls.UNKNOWN.contains(key);
        }

        @Override
        public boolean mayMake(CallKey.Ticket key) {
            return AssembledCalls.UNKNOWN.mayMake(key);
        }

        @Override
        public Failure whyNot(long step, String what) {
            return AssembledCalls.UNKNOWN.whyNot(step, what);
        }

        @Override
        public boolean maySend(Channel channel, int peer) {
            return true;
        }

        @Override
        public boolean mayReceive(Channel channel, int source) {
            return true;
        }

        @Override
        public boolean knows(long step) {
            return true;
        }
    };

    /** {@return whether a further message of a step may be sent to a rank of the group} */
    boolean maySend(Channel channel, int peer);

    /** {@return whether a further message of a step may be received from a rank of the group} */
    boolean mayReceive(Channel channel, int source);

    /** {@return whether anything of a step may still be made} */
    boolean knows(long step);
}
