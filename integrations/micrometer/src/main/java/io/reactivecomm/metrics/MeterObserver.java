package io.reactivecomm.metrics;

import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * One place where meters hear of calls. It counts for itself how many are in flight, so that those whose end it will not hear count no more once it
 * has been removed.
 *
 * <p><b>Threads.</b> Any.
 */
final class MeterObserver implements CommObserver {

    private final RegistryMeters meters;
    /** The group's name in tags, or null for its number. */
    private final @Nullable String group;

    private final Map<CallTags, LongAdder> inFlight = new ConcurrentHashMap<>();
    private volatile boolean isOver;

    MeterObserver(RegistryMeters meters, @Nullable String group) {
        this.meters = meters;
        this.group = group;
        meters.add(this);
    }

    /** It hears nothing more. */
    void end() {
        isOver = true;
        meters.remove(this);
    }

    /** {@return how many calls of that operation and group are in flight} */
    long inFlight(CallTags kind) {
        LongAdder count = inFlight.get(kind);
        return count == null ? 0 : count.sum();
    }

    private LongAdder count(ObservedCall call) {
        CallTags kind = meters.inFlight(CallTag.text(call.operation()), group(call));
        LongAdder known = inFlight.get(kind);
        return known == null ? inFlight.computeIfAbsent(kind, each -> new LongAdder()) : known;
    }

    private String group(ObservedCall call) {
        return group == null ? Long.toString(call.group()) : group;
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        if (!isOver) {
            count(call).increment();
        }
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        if (!isOver) {
            count(call).decrement();
            meters.ended(call, group(call), error, nanos);
        }
    }

    @Override
    public void happened(CommEvent event) {
        if (!isOver) {
            meters.happened(event);
        }
    }
}
