package io.reactivecomm.metrics;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import io.reactivecomm.CommConfig;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Micrometer's observations of calls: each call is one, from its subscription to its end, with its error, and so becomes a span or a meter by the
 * registry's handlers.
 *
 * {@snippet :
 * CommObservations observations = CommObservations.of(registry);
 * CommConfig config = CommConfig.fromEnvironment(System.getenv()).withObserver(observations);
 * }
 *
 * <p><b>Parents.</b> The observation in Reactor's Context of the subscriber, under {@value #PARENT}, where Micrometer's own instrumentation puts it; without one
 * the registry's current one on the subscriber's thread. Of a part of a composite call whose Context has no nearer one, the composite call.
 *
 * <p><b>Names and keys.</b> {@link CallConvention}'s, listed in {@link CallDocumentation}; or those of a convention of the program's.
 *
 * <p><b>Threads.</b> Handlers run where observers do: on the subscriber's thread as a call begins, on the loop after that. They must not block, and get
 * no scope: nothing else runs within a call.
 *
 * <p><b>Closing.</b> {@link #close} stops those that have not ended, and begins no more.
 */
public final class CommObservations implements CommObserver, AutoCloseable {

    /** The key under which Reactor's Context holds the observation that surrounds a subscription: Micrometer's own. */
    public static final String PARENT = "micrometer.observation";

    private static final CallConvention DEFAULT = new CallConvention();

    private final ObservationRegistry registry;
    private final @Nullable ObservationConvention<CallContext> convention;
    private final Map<ObservedCall, Observation> live = new ConcurrentHashMap<>();
    private final Map<Run, Observation> composites = new ConcurrentHashMap<>();
    private volatile boolean isClosed;

    /** A composite call that runs. */
    private record Run(int rank, long group, String label) {}

    private CommObservations(ObservationRegistry registry, @Nullable ObservationConvention<CallContext> convention) {
        this.registry = registry;
        this.convention = convention;
    }

    /** {@return observations in that registry, by {@link CallConvention} or the registry's own convention for calls} They hear of nothing yet. */
    public static CommObservations of(ObservationRegistry registry) {
        return new CommObservations(Objects.requireNonNull(registry, "observations got no registry: registry=null; give one"), null);
    }

    /** {@return observations in that registry by that convention} They hear of nothing yet. */
    public static CommObservations of(ObservationRegistry registry, ObservationConvention<CallContext> convention) {
        return new CommObservations(
                Objects.requireNonNull(registry, "observations got no registry: registry=null; give one"),
                Objects.requireNonNull(convention, "observations got no convention: convention=null; give one, or leave it out"));
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        if (isClosed || registry.isNoop()) {
            return;
        }
        Observation observation = Observation.createNotStarted(convention, DEFAULT, () -> new CallContext(call), registry);
        Observation parent = parent(call, context);
        if (parent != null) {
            observation.parentObservation(parent);
        }
        observation.start();
        if (!observation.isNoop()) {
            keep(call, observation);
        }
    }

    private @Nullable Observation parent(ObservedCall call, ContextView context) {
        Observation near = context.getOrDefault(PARENT, null) instanceof Observation observation ? observation : null;
        Observation composite = call.composite().isEmpty() ? null : composites.get(new Run(call.rank(), call.group(), call.composite()));
        if (composite == null) {
            return near;
        }
        // A body that is observed by itself is nearer than the call that it is the body of.
        boolean isAround = near == null || near == composite.getContextView().getParentObservation();
        return isAround ? composite : near;
    }

    private void keep(ObservedCall call, Observation observation) {
        live.put(call, observation);
        if (call.isComposite()) {
            composites.put(new Run(call.rank(), call.group(), call.label()), observation);
        }
        if (isClosed) {
            stop(call, null);
        }
    }

    @Override
    public void matched(ObservedCall call, int peer, long nanos) {
        tell(call, Observation.Event.of(CallDocumentation.Events.MATCHED.getName(), "matched with rank " + peer));
    }

    @Override
    public void firstByte(ObservedCall call, long nanos) {
        tell(call, CallDocumentation.Events.FIRST_BYTE);
    }

    @Override
    public void lastByte(ObservedCall call, long nanos) {
        tell(call, CallDocumentation.Events.LAST_BYTE);
    }

    private void tell(ObservedCall call, Observation.Event event) {
        Observation observation = live.get(call);
        if (observation != null) {
            observation.event(event);
        }
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        stop(call, error);
    }

    /** Once, whoever comes first. */
    private void stop(ObservedCall call, @Nullable Throwable error) {
        Observation observation = live.remove(call);
        if (observation == null) {
            return;
        }
        if (call.isComposite()) {
            composites.remove(new Run(call.rank(), call.group(), call.label()), observation);
        }
        if (error != null) {
            observation.error(error);
        }
        observation.stop();
    }

    /** Stops the observations of calls that have not ended, and observes no more. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        live.keySet().forEach(call -> stop(call, null));
    }
}
