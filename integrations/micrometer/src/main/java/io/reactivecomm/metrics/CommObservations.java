package io.reactivecomm.metrics;

import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.ObservationRegistry;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
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
 * <p>As a configuration's observer it hears of all groups; {@link #observe} is for one.
 *
 * <p><b>Parents.</b> The observation in Reactor's Context of the subscriber, under {@value #PARENT}, where Micrometer's own instrumentation puts it; without one
 * the registry's current one on the subscriber's thread. Of a part of a composite call whose Context has no nearer one, the composite call, whichever
 * group's it is.
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

    private final ObservationRegistry registry;
    private final @Nullable ObservationConvention<CallContext> convention;
    private final RunningComposites composites = new RunningComposites();
    private final CallObservations own;
    private final Disposable.Composite ofGroups = Disposables.composite();

    private CommObservations(ObservationRegistry registry, @Nullable ObservationConvention<CallContext> convention) {
        this.registry = registry;
        this.convention = convention;
        this.own = hearing();
    }

    private CallObservations hearing() {
        return new CallObservations(registry, convention, composites);
    }

    /** {@return observations in that registry, by {@link CallConvention} or the registry's own convention for calls} They hear of nothing yet. */
    public static CommObservations of(ObservationRegistry registry) {
        return new CommObservations(
                Objects.requireNonNull(registry, "observations got no registry: registry=null; give one"), null);
    }

    /** {@return observations in that registry by that convention} They hear of nothing yet. */
    public static CommObservations of(ObservationRegistry registry, ObservationConvention<CallContext> convention) {
        return new CommObservations(
                Objects.requireNonNull(registry, "observations got no registry: registry=null; give one"),
                Objects.requireNonNull(
                        convention, "observations got no convention: convention=null; give one, or leave it out"));
    }

    /** Hears of that group's calls on this rank. {@return what ends that, and stops the observations of its calls in flight} */
    public Disposable observe(ProcessGroup group) {
        CallObservations hearing = hearing();
        Disposable observing = group.observe(hearing);
        Disposable both = () -> {
            observing.dispose();
            hearing.end();
        };
        ofGroups.add(both);
        return () -> {
            both.dispose();
            ofGroups.remove(both);
        };
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        own.subscribed(call, context);
    }

    @Override
    public void matched(ObservedCall call, int peer, long nanos) {
        own.matched(call, peer, nanos);
    }

    @Override
    public void firstByte(ObservedCall call, long nanos) {
        own.firstByte(call, nanos);
    }

    @Override
    public void lastByte(ObservedCall call, long nanos) {
        own.lastByte(call, nanos);
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        own.ended(call, error, nanos);
    }

    /** Stops the observations of calls that have not ended, and observes no more. Idempotent. */
    @Override
    public void close() {
        own.end();
        ofGroups.dispose();
    }
}
