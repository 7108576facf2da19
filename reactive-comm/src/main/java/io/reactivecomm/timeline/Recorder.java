package io.reactivecomm.timeline;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.ObservedCall;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The side of a timeline that calls are observed on: it puts what it is told into a ring, and goes on.
 *
 * <p><b>Threads.</b> Any.
 */
final class Recorder {

    private final RecordRing ring;
    private final WriterThread thread;
    private final LostEnds lost;
    /** What must not be left out for want of room: few, and one for each rank or hearing. */
    private final Queue<Needed> needed = new ConcurrentLinkedQueue<>();

    private final LongAdder leftOut = new LongAdder();
    private volatile boolean isOn = true;

    /**
     * A thing to write even where the ring is full.
     *
     * @param place how many records had been asked for by then, behind which it is written
     */
    private record Needed(long place, Consumer<PartWriter> what) {}

    /**
     * One that is on.
     *
     * @param thread takes out what is in the ring
     * @param mostLost of how many calls whose ends find no room it is known which they are
     */
    Recorder(RecordRing ring, WriterThread thread, int mostLost) {
        this.ring = ring;
        this.thread = thread;
        this.lost = new LostEnds(mostLost);
    }

    void begun(ObservedCall call, TimelineObserver hearing) {
        Record record = claim(false);
        if (record != null) {
            record.begun(call, hearing);
            publish(record);
        }
    }

    void matched(ObservedCall call, int peer) {
        Record record = claim(false);
        if (record != null) {
            record.matched(call, peer);
            publish(record);
        }
    }

    void ended(ObservedCall call, TimelineObserver hearing, @Nullable Throwable error, long nanos) {
        // Before the claim: what is claimed is to be published whatever happens.
        CallPhases phases = call.phases();
        OptionalLong payloadBytes = call.payloadBytes();
        Record record = claim(true);
        if (record != null) {
            record.ended(call, hearing, error, nanos, phases, payloadBytes);
            publish(record);
        } else if (isOn) {
            lost.add(call, ring.claimed(), nanos);
        }
    }

    void happened(CommEvent event, TimelineObserver hearing) {
        Record record = claim(true);
        if (record != null) {
            record.happened(event, hearing);
            publish(record);
        } else if (event instanceof CommEvent.WorldLeft left) {
            // The thread and the file are there until it is known.
            need(writer -> writer.left(left, hearing));
        }
    }

    /** Nothing more is heard there: what was heard of is to end. */
    void over(TimelineObserver hearing, long nanos) {
        need(writer -> writer.over(hearing, nanos));
    }

    private void need(Consumer<PartWriter> what) {
        if (isOn) {
            needed.add(new Needed(ring.claimed(), what));
            thread.expect();
        }
    }

    /** Has the writer take what waits. What is not in the ring has its turn behind all that was put into that before. */
    void drainTo(PartWriter writer) {
        ring.drain(writer::take);
        lost.settle(ring.taken(), writer::lost, writer::lostTrack);
        for (Needed next = needed.peek(); next != null && next.place <= ring.taken(); next = needed.peek()) {
            needed.remove();
            next.what.accept(writer);
        }
    }

    /** Lets go of what waits. */
    void clear() {
        ring.drain(_ -> {});
        lost.settle(Long.MAX_VALUE, (_, _) -> {}, _ -> {});
        needed.clear();
    }

    /** {@return whether nothing waits to be written} */
    boolean isEmpty() {
        return ring.isEmpty() && lost.isEmpty() && needed.isEmpty();
    }

    private @Nullable Record claim(boolean isEnd) {
        if (!isOn) {
            return null;
        }
        Record record = ring.claim(isEnd);
        if (record == null) {
            leftOut.increment();
        }
        return record;
    }

    private void publish(Record record) {
        if (ring.publish(record)) {
            thread.hurry();
        }
        thread.expect();
    }

    /** {@return how many records there was no room for} */
    long leftOut() {
        return leftOut.sum();
    }

    boolean isOn() {
        return isOn;
    }

    /** From now on nothing is recorded. */
    void stop() {
        isOn = false;
    }
}
