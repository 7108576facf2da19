package io.reactivecomm.spi;

import io.reactivecomm.collective.Collective;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One subscription of one call, for an engine.
 *
 * @param step in which the group counts the call, or {@link CallKey#NO_STEP}
 * @param name under which the group counts the call
 * @param ticket the call's place among those assembled under the name, from 0; {@link #NO_TICKET} for messages, which match by order
 * @param ordinal which subscription of the assembled call, from 1
 * @param enclosure the composite call's run in which all these are counted, or null
 * @param collective what is to be done; its tensors are borrowed
 * @param deadline when it fails, counted from now
 * @param priority where calls wait for one another, the greater goes first; ranks may differ
 * @param isEnqueued whether it may end when it is enqueued; ranks may differ
 */
public record EngineCall(
        EngineGroup group,
        long step,
        String name,
        long ticket,
        int ordinal,
        @Nullable Enclosure enclosure,
        Collective collective,
        Duration deadline,
        int priority,
        boolean isEnqueued) {

    /** The {@link #ticket()} of a message. */
    public static final long NO_TICKET = -1;

    /** A call that the program makes by itself. */
    public EngineCall(EngineGroup group, String name, long ticket, int ordinal, Collective collective, Duration deadline, int priority) {
        this(group, CallKey.NO_STEP, name, ticket, ordinal, null, collective, deadline, priority, false);
    }

    /** {@return the identity of a collective on all ranks} */
    public CallKey.Ticket key() {
        return new CallKey.Ticket(group.generation(), group.id(), step, name, ticket, ordinal, enclosure);
    }
}
