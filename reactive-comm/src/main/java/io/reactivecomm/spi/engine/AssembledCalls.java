package io.reactivecomm.spi.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a group that this rank's program has assembled, for peers that wait for one of them. By default nothing is known of the program.
 *
 * <p><b>Threads.</b> Any.
 */
public interface AssembledCalls {

    /** Those of a program of which nothing is known. */
    AssembledCalls UNKNOWN = new AssembledCalls() {};

    /** {@return whether the program is known to have assembled a call, and to have subscribed to it not even once} */
    default boolean isUnclaimed(CallKey.Ticket call) {
        return false;
    }

    /** {@return the failure of a call, or of a run of a composite call, that peers have made and that is switched off on this rank; null if it is not} */
    default @Nullable Failure whyOff(CallKey.Ticket call) {
        return null;
    }

    /**
     * Tells why a call will not be made here, if that is so: because its step is over and was made without it, or is no longer known.
     *
     * @return whether it will not be made
     */
    default boolean ifNever(CallKey call, Consumer<Failure> told) {
        return false;
    }
}
