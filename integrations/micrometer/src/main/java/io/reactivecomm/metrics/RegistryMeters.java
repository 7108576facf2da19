package io.reactivecomm.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.ObservedCall;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    private final Map<CallTags, CallMeters> kinds = new ConcurrentHashMap<>();
    /** The kinds that have a gauge of calls in flight. */
    private final Map<CallTags, CallTags> gauged = new ConcurrentHashMap<>();
    /** In the maps once they are full. */
    private final CallTags other;

    private final CallTags otherInFlight;
    private final List<MeterObserver> hearings = new CopyOnWriteArrayList<>();
    /** Guarded by {@link #OPEN}. */
    private int users;

    /** Kept while it has no user yet. Guarded by {@link #OPEN}. */
    private static @Nullable RegistryMeters justOpened;

    private RegistryMeters(MeterRegistry registry, List<CallTag> tags) {
        this.registry = registry;
        this.tags = tags;
        this.meters = new MeterSet(registry);
        this.events = new EventMeters(meters);
        this.other = CallTags.other(tags);
        this.otherInFlight = CallTags.other(List.of());
    }

    /**
     * {@return the meters of that registry, for one more user}
     *
     * @throws InvalidCallException if it has some with other tags
     */
    static RegistryMeters use(MeterRegistry registry, List<CallTag> tags) {
        synchronized (OPEN) {
            if (open(registry) == null) {
                justOpened = new RegistryMeters(registry, tags);
                OPEN.put(registry, new WeakReference<>(justOpened));
            }
            RegistryMeters meters = Objects.requireNonNull(open(registry));
            justOpened = null;
            if (!meters.tags.equals(tags)) {
                throw new InvalidCallException("a registry has meters of calls with other tags: tags=" + tags + ", has="
                        + meters.tags + "; ask for the same tags, or close the CommMetrics that made them");
            }
            meters.users++;
            return meters;
        }
    }

    private static @Nullable RegistryMeters open(MeterRegistry registry) {
        WeakReference<RegistryMeters> known = OPEN.get(registry);
        return known == null ? null : known.get();
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

    void add(MeterObserver hearing) {
        hearings.add(hearing);
    }

    /** What it counts as in flight is of no account any more. */
    void remove(MeterObserver hearing) {
        hearings.remove(hearing);
    }

    /** {@return the kind by which calls in flight are counted: tags that are only known at the end are none of it} */
    CallTags inFlight(String operation, String group) {
        CallTags kind = new CallTags(operation, group, List.of());
        if (!gauged.containsKey(kind) && !gauged.containsKey(otherInFlight)) {
            makeRoom(kind);
        }
        CallTags known = gauged.get(kind);
        return known == null ? Objects.requireNonNull(gauged.get(otherInFlight)) : known;
    }

    private synchronized void makeRoom(CallTags kind) {
        if (gauged.size() < CommMetrics.MOST_KINDS) {
            gauge(kind);
        } else {
            gauge(otherInFlight);
        }
    }

    private void gauge(CallTags kind) {
        if (gauged.putIfAbsent(kind, kind) == null) {
            Tags itsTags = Tags.of("operation", kind.operation(), "group", kind.group());
            meters.gauge(
                    "rcomm.calls.inflight",
                    "Calls that were subscribed to and have not ended",
                    "calls",
                    itsTags,
                    () -> inFlight(kind));
        }
    }

    private long inFlight(CallTags kind) {
        return hearings.stream().mapToLong(hearing -> hearing.inFlight(kind)).sum();
    }

    /** A call has ended. */
    void ended(ObservedCall call, String group, @Nullable Throwable error, long nanos) {
        meters(CallTags.of(call, group, tags)).ended(call, error, Math.max(0, nanos - call.subscribedAt()));
    }

    private CallMeters meters(CallTags kind) {
        CallMeters its = kinds.get(kind);
        if (its == null) {
            its = kinds.get(other);
        }
        return its == null ? metered(kind) : its;
    }

    private synchronized CallMeters metered(CallTags kind) {
        if (kinds.size() < CommMetrics.MOST_KINDS) {
            return kinds.computeIfAbsent(kind, each -> new CallMeters(meters, tags(each)));
        }
        return kinds.computeIfAbsent(other, each -> new CallMeters(meters, tags(each)));
    }

    private Tags tags(CallTags kind) {
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
