package io.reactivecomm.internal.engine;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.MemoryFaults;
import io.reactivecomm.internal.transfer.Outbox;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages to one peer that it has not matched with a receive.
 *
 * <p>They are announced in order, at most a credit of them at once. When the credit is spent on messages that nobody receives, the peer
 * names the name and tag it does want ({@link Frame.Wanted}), and the first of those goes ahead: order counts only within one name and tag.
 * Owned by the loop.
 */
final class MessageQueue {

    /** The number that no call has. */
    private static final long NO_CALL = 0;

    private static final Signature NOTHING = new Signature(Operation.MESSAGE, DType.UINT8, 0, Signature.NO_ROOT, null);

    private final EngineLimits limits;
    private final Outbox outbox;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Set<CallKey.Message> unmatched = new HashSet<>();
    /** What the peer wants and nothing here was for: the next such message needs no credit. */
    private final SequencedSet<Channel> wanted = new LinkedHashSet<>();

    private int arrivals;
    private long nextNumber;

    MessageQueue(EngineLimits limits, Outbox outbox) {
        this.limits = limits;
        this.outbox = outbox;
    }

    /**
     * A message whose turn has not come.
     *
     * @param partner the receiver, or null if the call was refused here
     * @param refusal why it was refused, or null
     */
    private record Waiting(
            CallKey.Message key,
            @Nullable Partner partner,
            @Nullable Failure refusal) {

        @Nullable Failure failure() {
            return partner == null ? refusal : partner.call.failure();
        }
    }

    /** {@return the number of the next message to this peer} */
    long nextNumber() {
        return nextNumber++;
    }

    void open(CallKey.Message key, Partner partner) {
        add(new Waiting(key, partner, null));
    }

    /** A send was refused on this rank: its receive is told, in its turn. */
    void refuse(CallKey.Message key, Failure refusal) {
        add(new Waiting(key, null, refusal));
    }

    private void add(Waiting next) {
        if (wanted.remove(Channel.of(next.key))) {
            openOrTell(next);
        } else {
            waiting.add(next);
            openWaiting();
        }
    }

    /** The peer has a receive for the message, or has failed one with it: it does not wait there any more. */
    void taken(CallKey.Message key) {
        unmatched.remove(key);
        openWaiting();
    }

    /**
     * The peer has a receive for this name and tag, and may not know of the messages that wait here, or of one that comes later.
     *
     * @param isToCome whether it may be one that comes later
     */
    void wanted(Channel channel, boolean isToCome) {
        for (Iterator<Waiting> all = waiting.iterator(); all.hasNext(); ) {
            Waiting next = all.next();
            if (Channel.of(next.key).equals(channel)) {
                all.remove();
                openOrTell(next);
                return;
            }
        }
        if (isToCome) {
            wanted.add(channel);
        }
        if (wanted.size() > limits.tombstones()) {
            wanted.removeFirst();
        }
    }

    private void openWaiting() {
        while (!waiting.isEmpty() && unmatched.size() < limits.messageCredit()) {
            openOrTell(waiting.remove());
        }
    }

    /**
     * A message that failed meanwhile is opened all the same, right after the news of its failure: so it takes its place. It costs credit
     * like any other, until the receive that it was for has failed with it.
     */
    private void openOrTell(Waiting next) {
        Failure failure = next.failure();
        unmatched.add(next.key);
        if (failure != null) {
            tell(next.key, failure);
        } else if (next.partner != null) {
            open(next.key, next.partner.call, next.partner);
        }
    }

    private void tell(CallKey.Message key, Failure failure) {
        outbox.write(new Frame.Abort(key, failure));
        outbox.write(new Frame.Open(key, NO_CALL, Frame.Open.UNKNOWN, NOTHING, 0, 0, 0, List.of()));
    }

    /** Opens a message; if that cannot be, because its memory is gone, its call fails, and the receiver is told here, before the call ends. */
    private void open(CallKey.Message key, Call call, Partner partner) {
        try {
            MemoryFaults.requirePages(call.tensors(), limits.eagerBytes());
            partner.open();
        } catch (IllegalStateException | InternalError e) {
            call.faulted(e);
            tell(key, CallFailures.of(call, Objects.requireNonNull(call.fault())));
        }
    }

    /** Counts messages of the peer that wait here for a receive. */
    void arrived(int change) {
        arrivals += change;
    }

    int arrivals() {
        return arrivals;
    }

    /** {@return whether the peer may be out of credit, so that it must be told what is wanted} */
    boolean isPeerOutOfCredit() {
        return arrivals >= limits.messageCredit();
    }

    /** Forgets what belongs to a group that has ended, or that the peer has left: nobody there takes it any more. */
    void forgetGroup(long group) {
        waiting.removeIf(next -> next.key.group() == group);
        unmatched.removeIf(key -> key.group() == group);
        wanted.removeIf(channel -> channel.group() == group);
        openWaiting();
    }

    /** Forgets what was to go out: the link is down. What has come before still waits, and fails whoever takes it. */
    void clear() {
        waiting.clear();
        unmatched.clear();
        wanted.clear();
    }
}
