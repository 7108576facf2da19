package io.reactivecomm.internal.engine;

import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Fused;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.ScopeMessages;
import io.reactivecomm.collective.Send;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.Message;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.transfer.ScheduledCollective;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A subscribed call on its way to the engine, with everything that is looked up or checked on the caller's thread.
 *
 * @param group the group it belongs to
 * @param within the composite call's run in which it is made, or null
 * @param address how the other ranks know it
 * @param body what is to be done, or the failure of the checks, of which the other ranks are told
 * @param subscribedAt when it was subscribed to, by the loop's clock
 * @param timeoutNanos the deadline, from then on
 * @param priority where calls wait for the same link, the greater goes first
 * @param site where it was assembled, or empty if that is not compared
 * @param forms the group that this rank will be a member of if the call succeeds, or null; it is known to the engine from the call's
 *     beginning, because other members may be quicker
 * @param sink takes its end
 * @param messageNumber which message of its source and destination it is, or {@link Frame.Wanted#ANY}, if ends are counted over all engines;
 *     {@link Frame.Wanted#NONE} otherwise
 */
public record Submission(
        GroupState group,
        @Nullable Composite within,
        Address address,
        Body body,
        long subscribedAt,
        long timeoutNanos,
        int priority,
        String site,
        @Nullable GroupState forms,
        CallSink sink,
        long messageNumber)
        implements QueueEntry {

    /** What {@link io.reactivecomm.Work#backend} says of them: they go over links. */
    public static final String BACKEND = "links";

    public Submission(
            GroupState group, Address address, Body body, long subscribedAt, long timeoutNanos, CallSink sink) {
        this(group, null, address, body, subscribedAt, timeoutNanos, 0, "", null, sink);
    }

    /** One that is no message, or in a world of links alone. */
    public Submission(
            GroupState group,
            @Nullable Composite within,
            Address address,
            Body body,
            long subscribedAt,
            long timeoutNanos,
            int priority,
            String site,
            @Nullable GroupState forms,
            CallSink sink) {
        this(group, within, address, body, subscribedAt, timeoutNanos, priority, site, forms, sink, Frame.Wanted.NONE);
    }

    /** {@return where it sends or receives, which is a message's end} */
    Channel channel() {
        long step;
        String name;
        int tag;
        switch (address) {
            case Address.To to -> {
                step = to.step();
                name = to.name();
                tag = to.tag();
            }
            case Address.From from -> {
                step = from.step();
                name = from.name();
                tag = from.tag();
            }
            case Address.Collectively collective ->
                throw new IllegalArgumentException(
                        "not a message: call=" + collective.key().label());
        }
        return new Channel(group.id(), step, within == null ? null : within.enclosure(), name, tag);
    }

    /** The identity by which the other ranks know a call. */
    public sealed interface Address {

        /** A collective, identified when it was assembled. */
        record Collectively(CallKey.Ticket key) implements Address {}

        /**
         * A message to a rank of the group; the engine numbers it.
         *
         * @param step in which it is counted, or {@link CallKey#NO_STEP}
         */
        record To(long step, String name, int tag, int peer) implements Address {

            public To(String name, int tag, int peer) {
                this(CallKey.NO_STEP, name, tag, peer);
            }
        }

        /**
         * A message from a rank of the group or from any.
         *
         * @param step in which it is counted, or {@link CallKey#NO_STEP}
         */
        record From(long step, String name, int tag, int peer) implements Address {

            public From(String name, int tag, int peer) {
                this(CallKey.NO_STEP, name, tag, peer);
            }
        }
    }

    /** The work that a call asks for. */
    public sealed interface Body {

        /**
         * A call that passed its checks; its tensors are borrowed.
         *
         * @param signature the collective's
         * @param collectives what is to be done, at once; the schedule of a receive from any follows from the match
         */
        record Valid(Collective collective, Signature signature, List<ScheduledCollective> collectives)
                implements Body {

            /** A single collective in a group of that size. */
            public Valid(Collective collective, Schedule schedule, int size) {
                this(collective, collective.signature(), schedule, size);
            }

            public Valid(Collective collective, Signature signature, Schedule schedule, int size) {
                this(
                        collective,
                        signature,
                        List.of(ScheduledCollective.of(collective, signature.type(), schedule, size)));
            }

            /**
             * {@return several calls as one, those fused that can be, each by its own schedule}
             * Messages come last: what travels unasked is then that of the collectives first, on ranks that have messages and on those that have none.
             */
            public static Valid coalesced(Coalesced calls, int rank, int size, Function<Fused, Schedule> schedules) {
                List<ScheduledCollective> collectives = new ArrayList<>();
                for (Fused each : calls.fused()) {
                    collectives.add(
                            ScheduledCollective.of(each, each.signature().type(), schedules.apply(each), size));
                }
                addMessages(calls.messages(), rank, collectives);
                return new Valid(calls, calls.signature(), collectives);
            }

            private static void addMessages(ScopeMessages messages, int rank, List<ScheduledCollective> collectives) {
                for (Collective each : messages.calls()) {
                    long count = each.signature().count();
                    long pairing = ScopeMessages.fingerprint(each);
                    if (each instanceof Send send && send.peer() != rank) {
                        collectives.add(ScheduledCollective.ofMessage(send, Message.send(send.peer(), count), pairing));
                    } else if (each instanceof Receive receive && receive.peer() != rank) {
                        collectives.add(ScheduledCollective.ofMessage(
                                receive, Message.receive(receive.peer(), count), pairing));
                    }
                }
                List<Send> sent = messages.toItself(rank);
                List<Receive> received = messages.fromItself(rank);
                for (int i = 0; i < sent.size(); i++) {
                    Schedule copy = Message.copy(sent.get(i).tensor().count());
                    collectives.add(ScheduledCollective.ofCopy(
                            sent.get(i), received.get(i), copy, ScopeMessages.fingerprint(sent.get(i))));
                }
            }

            /** The {@link #algorithm()} of a call whose collectives have different ones. */
            private static final String SEVERAL = "several";

            /** {@return the schedule that its collectives have in common, messages left aside; empty if it has none} */
            public String algorithm() {
                String first = collectives.isEmpty()
                        ? ""
                        : collectives.getFirst().schedule().algorithm();
                for (int i = 1; i < collectives.size(); i++) {
                    ScheduledCollective each = collectives.get(i);
                    if (!each.isPairwise() && !each.schedule().algorithm().equals(first)) {
                        return SEVERAL;
                    }
                }
                return first;
            }

            /** {@return the schedules of its collectives by name, each once, messages left aside} */
            String algorithms() {
                return collectives.stream()
                        .filter(each -> !each.isPairwise())
                        .map(each -> each.schedule().algorithm())
                        .distinct()
                        .collect(Collectors.joining(", "));
            }

            private static final int PAIR = 2;

            /** {@return a message's end} */
            public static Valid message(Collective message) {
                return switch (message) {
                    case Send send ->
                        new Valid(send, Message.send(send.peer(), send.tensor().count()), PAIR);
                    case Receive receive ->
                        new Valid(
                                receive,
                                Message.receive(receive.peer(), receive.tensor().count()),
                                PAIR);
                    default -> throw new IllegalArgumentException("no message: " + message.describe());
                };
            }
        }

        /** A call that did not; what it would have been is in the text. */
        record Invalid(Failure failure) implements Body {}
    }
}
