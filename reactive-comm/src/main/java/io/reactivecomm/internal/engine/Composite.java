package io.reactivecomm.internal.engine;

import io.reactivecomm.collective.Fingerprint;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of a composite call on this rank: the calls that a body makes under one identity.
 *
 * <pre>
 *   OPEN ── the body is over ──&gt; LEFT ── no call under way ──&gt; ENDED
 *    │                             │
 *    └────── any failure ──────────┴──&gt; FAILED ── no call under way ──&gt; ENDED
 * </pre>
 *
 * <p><b>Threads.</b> The identity is immutable; all else belongs to the loop.
 */
public final class Composite {

    enum State {
        OPEN,
        LEFT,
        FAILED,
        ENDED
    }

    /** Only the calls inside have deadlines. */
    public static final long NO_DEADLINE = Deadlines.NEVER;

    /** The taker of what becomes of a run. Called on the loop. */
    public interface Sink {

        /**
         * The body is over here, and no further call is made.
         *
         * @param cause what is said to ranks that need more of the run, or null if the body has completed
         */
        void left(@Nullable Failure cause);

        /** The run has failed, whatever its body still does. {@link #ended} follows. */
        void stopped(Failure failure);

        /**
         * Nothing of the run is under way on this rank any more, and each call in it has been told of its end.
         *
         * @param failure why it failed, or null
         */
        void ended(@Nullable Failure failure);
    }

    private final GroupState group;
    private final Enclosure enclosure;
    private final @Nullable Composite outer;
    private final String operation;
    private final long startedAt;
    private final long timeoutNanos;
    private final Sink sink;
    private final MessageCounts messages = new MessageCounts();
    private Consumer<Composite> through = ignored -> {};
    private State state = State.OPEN;
    private @Nullable Failure failure;
    /** What is said to ranks that need more of it than its body did here, if it was cancelled. */
    private @Nullable Failure over;

    private @Nullable Failure waitedFor;
    private boolean disputed;
    private long number;
    private int underWay;

    /**
     * @param key the run's identity
     * @param outer the run that this one is in, or null
     * @param operation what ranks compare, and what people read
     * @param startedAt when it was subscribed to, by the loop's clock
     * @param timeoutNanos the deadline from then on, or {@link #NO_DEADLINE} if only the calls inside have one
     */
    public Composite(
            GroupState group,
            CallKey.Ticket key,
            @Nullable Composite outer,
            String operation,
            long startedAt,
            long timeoutNanos,
            Sink sink) {
        this.group = group;
        this.enclosure = new Enclosure(key, hash(operation), operation);
        this.outer = outer;
        this.operation = operation;
        this.startedAt = startedAt;
        this.timeoutNanos = timeoutNanos;
        this.sink = sink;
    }

    private static long hash(String text) {
        long hash = text.length();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            hash = Fingerprint.mix(hash, each);
        }
        return hash;
    }

    public GroupState group() {
        return group;
    }

    public CallKey.Ticket key() {
        return enclosure.run();
    }

    /** {@return what encloses the calls inside} */
    public Enclosure enclosure() {
        return enclosure;
    }

    /** {@return the run that it is in, or null} */
    public @Nullable Composite outer() {
        return outer;
    }

    String label() {
        return key().label();
    }

    /** {@return what was called, for a list of who called what} */
    String description() {
        return "composite " + operation;
    }

    String operation() {
        return operation;
    }

    Sink sink() {
        return sink;
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    /** {@return whether it is part of another} */
    public boolean isNested() {
        return outer != null;
    }

    /** {@return whether it fails at some time, whatever its calls do} */
    public boolean hasDeadline() {
        return timeoutNanos != NO_DEADLINE;
    }

    long startedAt() {
        return startedAt;
    }

    long deadline() {
        return timeoutNanos == NO_DEADLINE ? NO_DEADLINE : startedAt + timeoutNanos;
    }

    /** {@return how much time is left to a call that is subscribed to now} */
    public long leftNanos(long now) {
        return timeoutNanos == NO_DEADLINE ? Long.MAX_VALUE : Math.max(1, deadline() - now);
    }

    State state() {
        return state;
    }

    /** {@return whether calls can begin in it} */
    boolean isOpen() {
        return state == State.OPEN;
    }

    /** {@return whether it has neither failed nor ended} */
    boolean isUnfinished() {
        return state == State.OPEN || state == State.LEFT;
    }

    @Nullable Failure failure() {
        return failure;
    }

    /**
     * It begins.
     *
     * @param place its place among those of this rank
     * @param whenThrough is told when its body is over and nothing of it is under way
     */
    void begin(long place, Consumer<Composite> whenThrough) {
        number = place;
        through = whenThrough;
    }

    /** {@return its place among those of this rank} */
    long number() {
        return number;
    }

    /** A call of it begins on this rank. */
    void partBegins() {
        underWay++;
    }

    /** A call of it has ended on this rank. */
    void partEnded() {
        underWay--;
        endIfThrough();
    }

    /** Its body is over. @param cause what is said to ranks that need more of it, or null if it has completed */
    void leave(@Nullable Failure cause) {
        state = State.LEFT;
        over = cause;
    }

    /** {@return what is said to ranks that need more of it than its body did here, or null if that has completed} */
    @Nullable Failure over() {
        return over;
    }

    void fail(Failure cause) {
        state = State.FAILED;
        failure = cause;
    }

    /** There is no engine that would begin it. */
    public void refused(Failure cause) {
        sink.stopped(cause);
        sink.ended(cause);
    }

    void endIfThrough() {
        boolean isLeft = state == State.LEFT && !disputed;
        if (underWay == 0 && (isLeft || state == State.FAILED)) {
            state = State.ENDED;
            through.accept(this);
        }
    }

    /** A call inside has timed out. */
    void waitedInVain(Failure timeout) {
        waitedFor = timeout;
    }

    /** {@return the call inside that timed out last, or null} */
    @Nullable Failure waitedFor() {
        return waitedFor;
    }

    boolean isDisputed() {
        return disputed;
    }

    /** Ranks do different things under its identity: it waits for the verdict. */
    void dispute() {
        disputed = true;
    }

    /** {@return the messages in it, which are counted apart} */
    MessageCounts messages() {
        return messages;
    }

    /** The composite calls that ended well on this rank, for ranks that need more of them. The oldest are forgotten. Owned by the loop. */
    static final class EndedRuns {

        private final SequencedMap<CallKey.Ticket, Ended> all = new LinkedHashMap<>();
        private final int kept;
        private final Consumer<CallKey.Ticket> forgotten;

        /**
         * An end.
         *
         * @param cause what is said to ranks that need more, or null if the body simply completed
         */
        record Ended(String operation, @Nullable Failure cause) {}

        /** @param forgotten is told of each that is known no more */
        EndedRuns(int kept, Consumer<CallKey.Ticket> forgotten) {
            this.kept = kept;
            this.forgotten = forgotten;
        }

        void add(Composite run) {
            all.put(run.key(), new Ended(run.operation(), run.over()));
            if (all.size() > kept) {
                forgotten.accept(all.pollFirstEntry().getKey());
            }
        }

        @Nullable Ended find(CallKey.Ticket run) {
            return all.isEmpty() ? null : all.get(run);
        }
    }
}
