package io.reactivecomm.timeline;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.ObservedCall;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The side of a timeline that calls are observed on: it puts what it is told into a ring, and goes on.
 *
 * <p><b>Threads.</b> Any.
 */
final class Recorder {

    private final RecordRing ring;
    private final WriterThread thread;
    private final LongAdder leftOut = new LongAdder();
    private volatile boolean isOn = true;

    /** @param thread takes out what is in the ring */
    Recorder(RecordRing ring, WriterThread thread) {
        this.ring = ring;
        this.thread = thread;
    }

    void begun(ObservedCall call) {
        Record record = claim(false);
        if (record != null) {
            record.begun(call);
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

    void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        // Before the claim: what is claimed is to be published whatever happens.
        CallPhases phases = call.phases();
        OptionalLong payloadBytes = call.payloadBytes();
        Record record = claim(true);
        if (record != null) {
            record.ended(call, error, nanos, phases, payloadBytes);
            publish(record);
        }
    }

    void happened(CommEvent event) {
        Record record = claim(true);
        if (record != null) {
            record.happened(event);
            publish(record);
        }
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
