package io.reactivecomm.internal.observe;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.base.StreamName;
import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.engine.EngineGroup;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
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
    private static final long[] NO_NEWS = {};
    private static final int NEWS_OF_TWO_RANKS = 4;

    private Listener[] listeners;
    private final LongSupplier clock;
    private final EngineGroup group;
    private final What what;
    private final int ordinal;
    private final long subscribedAt;
    private final boolean isOverLinks;
    private final CallKey asked;
    /** The identity, where more of it became known after the subscription; else null. */
    private volatile @Nullable CallKey whole;
    /** Given when somebody asks: one counter of all ranks in the JVM would cost each call more than an observer does. */
    private long number;

    private long begunAt = UNKNOWN;
    private long matchedAt = UNKNOWN;
    private long lastAt = UNKNOWN;
    private long endedAt = UNKNOWN;
    private long foldNanos;
    private long payloadBytes;
    private long headerBytes = UNKNOWN;
    private boolean isOver;
    /** News that observers are not told yet: of each the peer that has joined, or {@link #NO_PEER} for the first byte, and when. */
    private long[] news = NO_NEWS;

    private int newsLength;
    /** The subscriber's, before it is told to anybody. */
    private String callSite = "";

    private int worldSize;

    /**
     * The description of what a call does, without the tensors that it does it with.
     *
     * @param signature of a call with elements of its own, or null
     * @param algorithm the schedule, or empty
     * @param backend who performs it, or empty
     */
    public record What(
            String operation, @Nullable Signature signature, long byteSize, String algorithm, String backend) {

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

    /**
     * A call that is subscribed to.
     *
     * @param key its identity; of a message as much as this end knows
     * @param isOverLinks whether the engine over links performs it, which tells of bytes and phases
     * @param subscribedAt when, by that clock
     */
    public Observation(
            Observers observers,
            LongSupplier clock,
            EngineGroup group,
            CallKey key,
            int ordinal,
            What what,
            boolean isOverLinks,
            long subscribedAt) {
        this.listeners = observers.all();
        this.clock = clock;
        this.group = group;
        this.asked = key;
        this.ordinal = ordinal;
        this.what = what;
        this.isOverLinks = isOverLinks;
        this.subscribedAt = subscribedAt;
    }

    private CallKey key() {
        CallKey known = whole;
        return known == null ? asked : known;
    }

    /** Says where the call comes from. @param site the place in the program, or empty if nobody has asked for it. {@return this} */
    public Observation from(String site, int ranksOfWorld) {
        callSite = site;
        worldSize = ranksOfWorld;
        return this;
    }

    /** Has others told of the call, too, but nobody twice: who comes with its view, or in its subscriber's Context. {@return this} */
    public Observation heardBy(@Nullable Observers ofView, List<CommObserver> inContext) {
        if (ofView != null) {
            listeners = Observers.together(listeners, ofView);
        }
        listeners = Observers.together(listeners, inContext);
        return this;
    }

    /** The subscriber is about to hand the call over. */
    public void subscribed(ContextView context) {
        for (Listener listener : listeners) {
            listener.subscribed(this, context);
        }
    }

    /** The loop begins the call. Its event may have begun long before, with many calls: so it is not the event's time. */
    public void begun() {
        begunAt = clock.getAsLong();
    }

    /** Its identity is known as a whole. */
    public void identified(CallKey known) {
        if (asked instanceof CallKey.Message) {
            whole = known;
        }
    }

    /** A rank has joined. {@return whether there is news now, and was none} */
    public boolean matched(int peer, long now) {
        matchedAt = sinceBegun(now);
        return isNews(peer, matchedAt);
    }

    /**
     * Payload has left or come.
     *
     * @param sentBytes how much of it has left
     * @return whether there is news now, and was none
     */
    public boolean moved(long sentBytes, long now) {
        boolean isFirst = lastAt == UNKNOWN;
        payloadBytes += sentBytes;
        lastAt = sinceBegun(now);
        return isFirst && isNews(NO_PEER, lastAt);
    }

    /** {@return the time of an event, which may have begun before it began the call} */
    private long sinceBegun(long now) {
        return Math.max(now, begunAt);
    }

    private boolean isNews(int peer, long now) {
        if (newsLength == news.length) {
            news = Arrays.copyOf(news, Math.max(NEWS_OF_TWO_RANKS, 2 * newsLength));
        }
        news[newsLength] = peer;
        news[newsLength + 1] = now;
        newsLength += 2;
        return newsLength == 2;
    }

    /** Tells what is new, since the frames of the event are written. */
    public void tellNews() {
        int length = newsLength;
        newsLength = 0;
        for (int i = 0; i < length; i += 2) {
            tell((int) news[i], news[i + 1]);
        }
    }

    private void tell(int peer, long nanos) {
        for (Listener listener : listeners) {
            if (peer == NO_PEER) {
                listener.firstByte(this, nanos);
            } else {
                listener.matched(this, peer, nanos);
            }
        }
    }

    /** A link has been given a frame of the call. @param bytes without payload */
    public void header(int bytes) {
        headerBytes = (headerBytes == UNKNOWN ? 0 : headerBytes) + bytes;
    }

    /** {@return the time, for {@link #folded}} */
    public long tick() {
        return clock.getAsLong();
    }

    /** Elements have been combined since then. */
    public void folded(long since) {
        foldNanos += clock.getAsLong() - since;
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
        boolean hasMoved = error == null && lastAt != UNKNOWN;
        for (Listener listener : listeners) {
            if (hasMoved) {
                listener.lastByte(this, lastAt);
            }
            listener.ended(this, error, endedAt);
        }
    }

    @Override
    public synchronized long number() {
        if (number == 0) {
            number = NUMBERS.incrementAndGet();
        }
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
        return StreamName.isOfStream(key().name()) ? StreamName.program(key().name()) : key().name();
    }

    @Override
    public OptionalLong step() {
        return key().step() == CallKey.NO_STEP ? OptionalLong.empty() : OptionalLong.of(key().step());
    }

    @Override
    public String composite() {
        if (key() instanceof CallKey.Message message && StreamName.isOfMessage(message.name())) {
            return StreamName.readable(streamOf(message).label());
        }
        Enclosure enclosure = key().enclosure();
        return enclosure == null ? "" : enclosure.run().label();
    }

    /** {@return the stream of a message, whose answers go the other way} */
    private static CallKey.Message streamOf(CallKey.Message message) {
        boolean isBack = StreamName.isOfAnswer(message.name());
        int source = isBack ? message.destination() : message.source();
        int destination = isBack ? message.source() : message.destination();
        return new CallKey.Message(
                message.generation(),
                message.group(),
                message.step(),
                StreamName.stream(message.name()),
                message.tag(),
                source,
                destination,
                -1,
                message.enclosure());
    }

    @Override
    public String label() {
        return StreamName.readable(key().label());
    }

    @Override
    public OptionalLong ticket() {
        return switch (key()) {
            case CallKey.Ticket ticket -> OptionalLong.of(ticket.ticket());
            case CallKey.Message message when isStream() -> OptionalLong.of(StreamName.number(message.name()));
            case CallKey.Message message ->
                message.number() < 0 ? OptionalLong.empty() : OptionalLong.of(message.number());
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

    /** {@return whether it is an end of a stream, and no message of one} */
    private boolean isStream() {
        return StreamName.isOfStream(asked.name()) && !StreamName.isOfMessage(asked.name());
    }

    @Override
    public boolean isComposite() {
        return what.signature == null && what.backend.isEmpty();
    }

    @Override
    public String type() {
        return what.signature == null || what.byteSize == 0
                ? ""
                : what.signature.type().name();
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
        return key() instanceof CallKey.Message message
                ? (message.source() == group.rank() ? message.destination() : message.source())
                : NO_PEER;
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
        OptionalLong wire =
                endedAt == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(Math.max(0, end - joined - foldNanos));
        return new CallPhases(queued, OptionalLong.of(joined - begunAt), wire, OptionalLong.of(foldNanos));
    }

    @Override
    public OptionalInt worldSize() {
        return worldSize == 0 ? OptionalInt.empty() : OptionalInt.of(worldSize);
    }

    @Override
    public String callSite() {
        return callSite;
    }

    @Override
    public OptionalLong headerBytes() {
        return headerBytes == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(headerBytes);
    }

    @Override
    public OptionalLong payloadBytes() {
        return isOverLinks ? OptionalLong.of(payloadBytes) : OptionalLong.empty();
    }
}
