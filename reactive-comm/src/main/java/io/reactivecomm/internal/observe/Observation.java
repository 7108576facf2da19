package io.reactivecomm.internal.observe;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.EngineGroup;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * One call that somebody observes, from its subscription to its end. A call that nobody observed when it was subscribed to has none.
 *
 * <p><b>Threads.</b> The subscriber's until the call is handed over, then the loop's; who it is may be read by any.
 */
public final class Observation implements ObservedCall {

    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final long UNKNOWN = Long.MIN_VALUE;

    private final Listener[] listeners;
    private final LongSupplier clock;
    private final long number = NUMBERS.incrementAndGet();
    private final EngineGroup group;
    private final What what;
    private final int ordinal;
    private final long subscribedAt;
    private final boolean isOverLinks;
    private volatile CallKey key;

    private long begunAt = UNKNOWN;
    private long matchedAt = UNKNOWN;
    private long lastAt = UNKNOWN;
    private long endedAt = UNKNOWN;
    private long foldNanos;
    private long payloadBytes;
    private boolean isOver;

    /**
     * The description of what a call does, without the tensors that it does it with.
     *
     * @param signature of a call with elements of its own, or null
     * @param algorithm the schedule, or empty
     * @param backend who performs it, or empty
     */
    public record What(String operation, @Nullable Signature signature, long byteSize, String algorithm, String backend) {

        /** A call in a group of that size. */
        public static What of(Collective call, int size, String algorithm, String backend) {
            return new What(call.label(), call.signature(), call.byteSize(size), algorithm, backend);
        }

        /** A composite call. */
        public static What composite(String operation) {
            return new What(operation, null, 0, "", "");
        }

        /** A call that could not even be made. */
        public static What refused(String backend) {
            return new What("", null, 0, "", backend);
        }
    }

    /** A moment to be told of when the event's frames are written. @param peer who has joined, or {@link #NO_PEER} for the first byte */
    public record Moment(int peer, long nanos) {}

    /**
     * A call that is subscribed to now.
     *
     * @param key its identity; of a message as much as this end knows
     * @param isOverLinks whether the engine over links performs it, which tells of bytes and phases
     */
    public Observation(
            Observers observers, LongSupplier clock, EngineGroup group, CallKey key, int ordinal, What what, boolean isOverLinks) {
        this.listeners = observers.all();
        this.clock = clock;
        this.group = group;
        this.key = key;
        this.ordinal = ordinal;
        this.what = what;
        this.isOverLinks = isOverLinks;
        this.subscribedAt = clock.getAsLong();
    }

    private void tell(Consumer<CommObserver> news) {
        Observers.tell(listeners, news);
    }

    /** The subscriber is about to hand the call over. */
    public void subscribed(ContextView context) {
        tell(observer -> observer.subscribed(this, context));
    }

    /** The loop begins the call. */
    public void begun(long now) {
        begunAt = now;
    }

    /** Its identity is known as a whole. */
    public void identified(CallKey whole) {
        key = whole;
    }

    /** {@return the news that a rank has joined} */
    public Moment matched(int peer, long now) {
        matchedAt = now;
        return new Moment(peer, now);
    }

    /**
     * Payload has left or come.
     *
     * @param sentBytes how much of it has left
     * @return whether it is the first
     */
    public boolean moved(long sentBytes, long now) {
        boolean isFirst = lastAt == UNKNOWN;
        payloadBytes += sentBytes;
        lastAt = now;
        return isFirst;
    }

    /** {@return the time, for {@link #folded}} */
    public long tick() {
        return clock.getAsLong();
    }

    /** Elements have been combined since then. */
    public void folded(long since) {
        foldNanos += clock.getAsLong() - since;
    }

    public void tell(Moment moment) {
        if (moment.peer == NO_PEER) {
            tell(observer -> observer.firstByte(this, moment.nanos));
        } else {
            tell(observer -> observer.matched(this, moment.peer, moment.nanos));
        }
    }

    /** The call is over: by then everything that {@link #phases} is made of is known. */
    public void over(long now) {
        endedAt = now;
    }

    /** Tells of the end, once. @param error what the subscriber is told, or null */
    public void ended(@Nullable Throwable error) {
        if (isOver) {
            return;
        }
        isOver = true;
        if (endedAt == UNKNOWN) {
            endedAt = clock.getAsLong();
        }
        if (error == null && lastAt != UNKNOWN) {
            tell(observer -> observer.lastByte(this, lastAt));
        }
        tell(observer -> observer.ended(this, error, endedAt));
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public int rank() {
        return group.worldRanks().get(group.rank());
    }

    @Override
    public long group() {
        return group.id();
    }

    @Override
    public int groupSize() {
        return group.worldRanks().size();
    }

    @Override
    public String name() {
        return key.name();
    }

    @Override
    public OptionalLong step() {
        return key.step() == CallKey.NO_STEP ? OptionalLong.empty() : OptionalLong.of(key.step());
    }

    @Override
    public String composite() {
        return key.enclosure() == null ? "" : key.enclosure().run().label();
    }

    @Override
    public String label() {
        return key.label();
    }

    @Override
    public OptionalLong ticket() {
        return switch (key) {
            case CallKey.Ticket ticket -> OptionalLong.of(ticket.ticket());
            case CallKey.Message message -> message.number() < 0 ? OptionalLong.empty() : OptionalLong.of(message.number());
        };
    }

    @Override
    public int ordinal() {
        return ordinal;
    }

    @Override
    public String operation() {
        return what.operation;
    }

    @Override
    public boolean isComposite() {
        return what.signature == null && what.backend.isEmpty();
    }

    @Override
    public String type() {
        return what.signature == null || what.byteSize == 0 ? "" : what.signature.type().name();
    }

    @Override
    public long count() {
        return what.signature == null || what.signature.count() < 0 ? NO_COUNT : what.signature.count();
    }

    @Override
    public long byteSize() {
        return what.byteSize;
    }

    @Override
    public String reduction() {
        return what.signature == null || what.signature.reduction() == null ? "" : what.signature.reduction();
    }

    @Override
    public String algorithm() {
        return what.algorithm;
    }

    @Override
    public String backend() {
        return what.backend;
    }

    @Override
    public int peer() {
        return key instanceof CallKey.Message message ? (message.source() == group.rank() ? message.destination() : message.source()) : NO_PEER;
    }

    @Override
    public long subscribedAt() {
        return subscribedAt;
    }

    @Override
    public CallPhases phases() {
        if (begunAt == UNKNOWN) {
            return CallPhases.UNKNOWN;
        }
        OptionalLong queued = OptionalLong.of(begunAt - subscribedAt);
        if (!isOverLinks) {
            return new CallPhases(queued, OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
        }
        long joined = matchedAt == UNKNOWN ? begunAt : matchedAt;
        long end = endedAt == UNKNOWN ? joined : endedAt;
        OptionalLong wire = endedAt == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(Math.max(0, end - joined - foldNanos));
        return new CallPhases(queued, OptionalLong.of(joined - begunAt), wire, OptionalLong.of(foldNanos));
    }

    @Override
    public OptionalLong payloadBytes() {
        return isOverLinks ? OptionalLong.of(payloadBytes) : OptionalLong.empty();
    }
}
