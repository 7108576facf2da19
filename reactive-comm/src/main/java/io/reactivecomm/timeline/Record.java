package io.reactivecomm.timeline;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.ObservedCall;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One thing that was observed, in numbers and by reference: what it is in words is found by the thread that writes it. Used again and again.
 *
 * <p><b>Threads.</b> The one that has claimed it from the {@link RecordRing}, until it is published; then the one that drains.
 */
final class Record {

    /** A number that is not known. */
    static final long UNKNOWN = -1;

    private static final VarHandle SEQUENCE;

    static {
        try {
            SEQUENCE = MethodHandles.lookup().findVarHandle(Record.class, "sequence", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The kinds of what is told. */
    enum Kind {
        BEGUN,
        MATCHED,
        ENDED,
        HAPPENED
    }

    /** The place in the ring that it is free for, or one more than that which it is published at. */
    @SuppressWarnings("unused") // by its handle
    private long sequence;

    Kind kind = Kind.BEGUN;

    @Nullable ObservedCall call;

    @Nullable TimelineObserver hearing;

    @Nullable CommEvent event;

    @Nullable Throwable error;

    long nanos;
    int peer;
    long queued;
    long matching;
    long wire;
    long fold;
    long payloadBytes;

    /** A record that is free for that place. */
    Record(long sequence) {
        this.sequence = sequence;
    }

    long sequence() {
        return (long) SEQUENCE.getAcquire(this);
    }

    void sequence(long value) {
        SEQUENCE.setRelease(this, value);
    }

    void begun(ObservedCall of, TimelineObserver by) {
        kind = Kind.BEGUN;
        call = of;
        hearing = by;
        nanos = of.subscribedAt();
    }

    void matched(ObservedCall of, int with) {
        kind = Kind.MATCHED;
        call = of;
        peer = with;
    }

    void ended(
            ObservedCall of,
            TimelineObserver by,
            @Nullable Throwable failure,
            long at,
            CallPhases phases,
            OptionalLong payload) {
        kind = Kind.ENDED;
        call = of;
        hearing = by;
        error = failure;
        nanos = at;
        queued = phases.queued().orElse(UNKNOWN);
        matching = phases.matching().orElse(UNKNOWN);
        wire = phases.wire().orElse(UNKNOWN);
        fold = phases.fold().orElse(UNKNOWN);
        payloadBytes = payload.orElse(UNKNOWN);
    }

    void happened(CommEvent what, TimelineObserver by) {
        kind = Kind.HAPPENED;
        hearing = by;
        event = what;
        nanos = what.nanos();
    }

    /** Lets go of what it refers to. */
    void clear() {
        call = null;
        hearing = null;
        event = null;
        error = null;
    }
}
