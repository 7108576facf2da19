package io.reactivecomm.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.ObservedCall;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a registry, which all {@link CommMetrics} of it share: two gauges of one name would be one gauge that knows half. They are
 * taken out of the registry when the last of them is closed.
 *
 * <p><b>Threads.</b> Any.
 */
final class RegistryMeters {

    /** Neither a registry nor its meters are kept for being in here. Guarded by itself. */
    private static final Map<MeterRegistry, WeakReference<RegistryMeters>> OPEN = new WeakHashMap<>();

    private final MeterRegistry registry;
    private final List<CallTag> tags;
    private final MeterSet meters;
    private final EventMeters events;
    private final Map<CallKind, CallMeters> kinds = new ConcurrentHashMap<>();
    /** The kinds that have a gauge of calls in flight. */
    private final Map<CallKind, CallKind> gauged = new ConcurrentHashMap<>();
    /** In the maps once they are full. */
    private final CallKind other;
    private final List<Hearing> hearings = new CopyOnWriteArrayList<>();
    /** Guarded by {@link #OPEN}. */
    private int users;

    private RegistryMeters(MeterRegistry registry, List<CallTag> tags) {
        this.registry = registry;
        this.tags = tags;
        this.meters = new MeterSet(registry);
        this.events = new EventMeters(meters);
        this.other = CallKind.other(tags);
    }

    /**
     * {@return the meters of that registry, for one more user}
     *
     * @throws InvalidCallException if it has some with other tags
     */
    static RegistryMeters use(MeterRegistry registry, List<CallTag> tags) {
        synchronized (OPEN) {
            WeakReference<RegistryMeters> known = OPEN.get(registry);
            RegistryMeters meters = known == null ? null : known.get();
            if (meters == null) {
                meters = opened(registry, tags);
            } else if (!meters.tags.equals(tags)) {
                throw new InvalidCallException("a registry has meters of calls with other tags: tags=" + tags + ", has=" + meters.tags
                        + "; ask for the same tags, or close the CommMetrics that made them");
            }
            meters.users++;
            return meters;
        }
    }

    private static RegistryMeters opened(MeterRegistry registry, List<CallTag> tags) {
        RegistryMeters meters = new RegistryMeters(registry, tags);
        OPEN.put(registry, new WeakReference<>(meters));
        return meters;
    }

    /** One user fewer; with the last one the meters go. */
    void leave() {
        synchronized (OPEN) {
            users--;
            if (users == 0) {
                OPEN.remove(registry);
                meters.removeAll();
            }
        }
    }

    void add(Hearing hearing) {
        hearings.add(hearing);
    }

    /** What it counts as in flight is of no account any more. */
    void remove(Hearing hearing) {
        hearings.remove(hearing);
    }

    /** {@return the kind by which calls in flight are counted: tags that are only known at the end are none of it} */
    CallKind inFlight(String operation, String group) {
        CallKind kind = new CallKind(operation, group, List.of());
        CallKind known = gauged.get(kind);
        if (known == null) {
            known = gauged.get(other.coarse());
        }
        return known == null ? gauge(kind) : known;
    }

    private synchronized CallKind gauge(CallKind wanted) {
        CallKind kind = gauged.size() < CommMetrics.MOST_KINDS ? wanted : other.coarse();
        if (gauged.putIfAbsent(kind, kind) == null) {
            Tags itsTags = Tags.of("operation", kind.operation(), "group", kind.group());
            meters.gauge(
                    "rcomm.calls.inflight", "Calls that were subscribed to and have not ended", "calls", itsTags, () -> inFlight(kind));
        }
        return kind;
    }

    private long inFlight(CallKind kind) {
        return hearings.stream().mapToLong(hearing -> hearing.inFlight(kind)).sum();
    }

    /** A call has ended. */
    void ended(ObservedCall call, String group, @Nullable Throwable error, long nanos) {
        CallKind kind = CallKind.of(call, group, tags);
        CallMeters its = kinds.get(kind);
        if (its == null) {
            its = kinds.get(other);
        }
        if (its == null) {
            its = metered(kind);
        }
        its.ended(call, error, Math.max(0, nanos - call.subscribedAt()));
    }

    private synchronized CallMeters metered(CallKind wanted) {
        CallKind kind = kinds.size() < CommMetrics.MOST_KINDS ? wanted : other;
        return kinds.computeIfAbsent(kind, each -> new CallMeters(meters, tags(each)));
    }

    private Tags tags(CallKind kind) {
        Tags all = Tags.of("operation", kind.operation(), "group", kind.group());
        for (int i = 0; i < tags.size(); i++) {
            all = all.and(tags.get(i).key(), kind.more().get(i));
        }
        return all;
    }

    void happened(CommEvent event) {
        events.happened(event);
    }
}
