package io.reactivecomm.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.ObservedCall;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one kind of calls, found once and then only written to.
 *
 * <p><b>Threads.</b> Any.
 */
final class CallMeters {

    private final MeterSet meters;
    private final Tags tags;
    private final Timer succeeded;
    private final Timer failed;
    private final Timer queued;
    private final Timer matching;
    private final Timer wire;
    private final Timer fold;
    private final Counter bytes;
    private final Counter sent;
    private final Map<String, Counter> failures = new ConcurrentHashMap<>();

    CallMeters(MeterSet meters, Tags tags) {
        this.meters = meters;
        this.tags = tags;
        succeeded =
                meters.timer("rcomm.call", "Calls, from the subscription to the end", tags.and("outcome", "success"));
        failed = meters.timer("rcomm.call", "Calls, from the subscription to the end", tags.and("outcome", "failure"));
        queued = phase("queued");
        matching = phase("matching");
        wire = phase("wire");
        fold = phase("fold");
        bytes = meters.counter(
                "rcomm.bytes", "Sizes of the calls that succeeded, as nccl-tests counts them", "bytes", tags);
        sent = meters.counter("rcomm.bytes.sent", "Payload that this process has given to its links", "bytes", tags);
    }

    private Timer phase(String name) {
        return meters.timer(
                "rcomm.call.phase", "What the time of calls that succeeded went into", tags.and("phase", name));
    }

    /** A call has ended. */
    void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        if (error == null) {
            succeeded.record(nanos, TimeUnit.NANOSECONDS);
            bytes.increment(call.byteSize());
            record(call.phases());
        } else {
            failed.record(nanos, TimeUnit.NANOSECONDS);
            failures.computeIfAbsent(error.getClass().getSimpleName(), this::failure)
                    .increment();
        }
        OptionalLong payload = call.payloadBytes();
        if (payload.isPresent()) {
            sent.increment(payload.getAsLong());
        }
    }

    private void record(CallPhases phases) {
        record(queued, phases.queued());
        record(matching, phases.matching());
        record(wire, phases.wire());
        record(fold, phases.fold());
    }

    private static void record(Timer timer, OptionalLong nanos) {
        if (nanos.isPresent()) {
            timer.record(nanos.getAsLong(), TimeUnit.NANOSECONDS);
        }
    }

    /** An anonymous class has no simple name. */
    private Counter failure(String error) {
        return meters.counter(
                "rcomm.failures",
                "Calls that failed, by the error's type",
                "calls",
                tags.and("error", CallTag.text(error)));
    }
}
