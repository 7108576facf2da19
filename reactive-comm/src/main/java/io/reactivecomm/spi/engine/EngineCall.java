package io.reactivecomm.spi.engine;

import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One subscription of one call, for an engine.
 *
 * @param step the number of the scope in which the group counts the call, or {@link CallKey#NO_STEP}
 * @param name under which the group counts the call
 * @param ticket the call's place among those assembled under the name, from 0; of a message its number
 * @param ordinal which subscription of the assembled call, from 1
 * @param enclosure the composite call's run in which all these are counted, or null
 * @param collective what is to be done; its tensors are borrowed
 * @param deadline when it fails, counted from now
 * @param priority where calls wait for one another, the greater goes first; ranks may differ
 * @param isEnqueued whether it may end when it is enqueued; ranks may differ
 * @param sharesMemory whether a call that was in flight at its subscription writes memory that this one touches, or touches memory that this one writes; ranks
 *     may differ. Only calls that are {@linkplain CollectiveEngine#isOrderedByDevice ordered by a device} do
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
        boolean isEnqueued,
        boolean sharesMemory) {

    /** A call that the program makes by itself. */
    public EngineCall(
            EngineGroup group,
            String name,
            long ticket,
            int ordinal,
            Collective collective,
            Duration deadline,
            int priority) {
        this(group, CallKey.NO_STEP, name, ticket, ordinal, null, collective, deadline, priority, false, false);
    }

    /** {@return the identity of a call on all ranks; of a receive from any, on this one} */
    public CallKey key() {
        return switch (collective) {
            case Send send -> message(send.tag(), group.rank(), send.peer());
            case Receive receive -> message(receive.tag(), receive.peer(), group.rank());
            default -> new CallKey.Ticket(group.generation(), group.id(), step, name, ticket, ordinal, enclosure);
        };
    }

    /** {@return the other rank of a message, in its group; {@link Work#NO_PEER} of a collective} Of a receive from any it is not known before it has {@link #met}. */
    public int peer() {
        return switch (collective) {
            case Send send -> send.peer();
            case Receive receive -> receive.peer();
            default -> Work.NO_PEER;
        };
    }

    private CallKey.Message message(int tag, int source, int destination) {
        return new CallKey.Message(
                group.generation(), group.id(), step, name, tag, source, destination, ticket, enclosure);
    }

    /** {@return the same call, once it is known whose message it is and which} */
    public EngineCall met(int source, long number) {
        if (collective instanceof Receive receive) {
            return with(new Receive(receive.tensor(), source, receive.tag()), number);
        }
        return with(collective, number);
    }

    private EngineCall with(Collective known, long number) {
        return new EngineCall(
                group, step, name, number, ordinal, enclosure, known, deadline, priority, isEnqueued, sharesMemory);
    }

    /** {@return the same call, once its memory is claimed} */
    public EngineCall withSharesMemory(boolean shares) {
        return new EngineCall(
                group, step, name, ticket, ordinal, enclosure, collective, deadline, priority, isEnqueued, shares);
    }
}
