package io.reactivecomm.engine;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.schedule.Schedule;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A subscribed call on its way to the engine, with everything that is looked up or checked on the caller's thread.
 *
 * @param group the group it belongs to
 * @param address how the other ranks know it
 * @param body what is to be done, or the failure of the checks, of which the other ranks are told
 * @param timeoutNanos the deadline, from its subscription on
 * @param priority where calls wait for the same link, the greater goes first
 * @param site where it was assembled, or empty if that is not compared
 * @param forms the group that this rank will be a member of if the call succeeds, or null; it is known to the engine from the call's
 *     beginning, because other members may be quicker
 * @param sink takes its end
 */
public record Submission(
        GroupState group,
        Address address,
        Body body,
        long timeoutNanos,
        int priority,
        String site,
        @Nullable GroupState forms,
        CallSink sink) {

    public Submission(GroupState group, Address address, Body body, long timeoutNanos, String site, CallSink sink) {
        this(group, address, body, timeoutNanos, 0, site, null, sink);
    }

    /** How the other ranks know a call. */
    public sealed interface Address {

        /** A collective, identified when it was assembled. */
        record Collectively(CallKey.Ticket key) implements Address {}

        /** A message to a rank of the group; the engine numbers it. */
        record To(String name, int tag, int peer) implements Address {}

        /** A message from a rank of the group or from any. */
        record From(String name, int tag, int peer) implements Address {}
    }

    /** What is to be done. */
    public sealed interface Body {

        /**
         * A call that passed its checks; its tensors are borrowed.
         *
         * @param schedule this rank's part; null for messages, whose part follows from the match
         */
        record Valid(Collective collective, @Nullable Schedule schedule, Row input, Row output) implements Body {}

        /** A call that did not; what it would have been is in the text. */
        record Invalid(Failure failure) implements Body {}
    }
}
