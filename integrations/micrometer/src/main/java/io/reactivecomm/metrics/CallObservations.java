package io.reactivecomm.metrics;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * One place where observations hear of calls. It knows those that are under way, and stops them where it is removed, since their end is not heard of
 * any more.
 *
 * <p><b>Threads.</b> Any.
 */
final class CallObservations implements CommObserver {

    private static final CallConvention DEFAULT = new CallConvention();

    private final ObservationRegistry registry;
    private final @Nullable ObservationConvention<CallContext> convention;
    private final RunningComposites composites;
    private final Map<ObservedCall, Observation> live = new ConcurrentHashMap<>();
    private volatile boolean isOver;

    /** @param composites of all places: a part may be heard of in another than its composite call */
    CallObservations(
            ObservationRegistry registry,
            @Nullable ObservationConvention<CallContext> convention,
            RunningComposites composites) {
        this.registry = registry;
        this.convention = convention;
        this.composites = composites;
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        if (isOver || registry.isNoop()) {
            return;
        }
        Observation observation =
                Observation.createNotStarted(convention, DEFAULT, () -> new CallContext(call), registry);
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
        Observation near = context.getOrDefault(CommObservations.PARENT, null) instanceof Observation observation
                ? observation
                : null;
        Observation composite = composites.around(call);
        if (composite == null) {
            return near;
        }
        // A body that is observed by itself is nearer than the call that it is the body of.
        boolean isAround = near == null || near == composite.getContextView().getParentObservation();
        return isAround ? composite : near;
    }

    private void keep(ObservedCall call, Observation observation) {
        live.put(call, observation);
        composites.begun(call, observation);
        if (isOver) {
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
        composites.ended(call, observation);
        if (error != null) {
            observation.error(error);
        }
        observation.stop();
    }

    /** It hears nothing more. */
    void end() {
        isOver = true;
        live.keySet().forEach(call -> stop(call, null));
    }
}
