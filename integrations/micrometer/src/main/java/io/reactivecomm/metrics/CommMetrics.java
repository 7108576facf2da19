package io.reactivecomm.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.reactivecomm.CommConfig;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.util.context.ContextView;

/**
 * Micrometer's meters of calls: how many, how long, what the time went into, how many bytes, how many are in flight, and what failed.
 *
 * {@snippet :
 * CommMetrics metrics = CommMetrics.of(registry);
 * CommConfig config = CommConfig.fromEnvironment(System.getenv()).withObserver(metrics);
 * }
 *
 * <p>As a configuration's observer ({@link CommConfig#withObserver}) it hears of all groups; {@link #observe(ProcessGroup)} is for one. Two ways to the same
 * group count its calls twice. All {@code CommMetrics} of one registry write the same meters:
 *
 * <pre>
 *   rcomm.call            timer    operation, group, outcome      calls; outcome is success or failure
 *   rcomm.call.phase      timer    operation, group, phase        of calls that succeeded: queued, matching, wire, fold; what is not known is absent
 *   rcomm.bytes           counter  operation, group               sizes of calls that succeeded, as nccl-tests counts them
 *   rcomm.bytes.sent      counter  operation, group               payload given to links, of calls whose engine knows
 *   rcomm.calls.inflight  gauge    operation, group               calls subscribed to that have not ended
 *   rcomm.failures        counter  operation, group, error        calls that failed, by the error's simple class name
 *   rcomm.calls.waiting   counter                                 warnings that a call waits for long
 *   rcomm.peers.lost      counter                                 ranks that were lost
 *   rcomm.loop.held       timer                                   how long ranks' loops did not turn, as their peers were told
 *   rcomm.loops.held      gauge                                   ranks whose loop does not turn now
 *   rcomm.groups.failed   counter                                 groups that ended by a failure
 * </pre>
 *
 * <p>Tags are few by default: no name, no label, no peer, no rank. A group is its number, {@code 0} being the world, or the name that it was given here. Whoever
 * asks for more ({@link CallTag}) gets it on the timers and counters of calls. {@value #MOST_KINDS} combinations are told apart; calls of further ones have
 * {@code other} everywhere. A composite call is timed, and so are its parts; bytes are those of the parts.
 *
 * <p><b>Threads.</b> Any.
 *
 * <p><b>Closing.</b> {@link #close} ends the hearing; the last {@code CommMetrics} of a registry that is closed takes the meters out of it. Nothing here
 * refers to a group or a tensor, and a registry that is not used any more is not kept.
 *
 * <p><b>Cost.</b> A look-up in a hash table when a call is subscribed to, two when it ends, and one write into each meter; docs/metrics.md has figures.
 */
public final class CommMetrics implements CommObserver, AutoCloseable {

    /** Combinations of tags that are told apart at most: names that never recur must not fill the memory, nor a store of metrics. */
    public static final int MOST_KINDS = 1024;

    /** The value of a tag where a call has none. */
    public static final String NONE = "none";

    private final RegistryMeters meters;
    private final MeterObserver own;
    private final Disposable.Composite ofGroups = Disposables.composite();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private CommMetrics(RegistryMeters meters) {
        this.meters = meters;
        this.own = new MeterObserver(meters, null);
    }

    /** {@return meters in that registry, with few tags} They hear of nothing yet. */
    public static CommMetrics of(MeterRegistry registry) {
        return of(registry, Set.of());
    }

    /**
     * {@return meters in that registry, with those tags more} They hear of nothing yet.
     *
     * @throws InvalidCallException if the registry has meters of calls with other tags
     */
    public static CommMetrics of(MeterRegistry registry, Set<CallTag> tags) {
        Objects.requireNonNull(
                registry, "metrics got no registry: registry=null; give one, such as Metrics.globalRegistry");
        return new CommMetrics(
                RegistryMeters.use(registry, tags.stream().sorted().toList()));
    }

    /** Hears of that group's calls on this rank, tagged with its number. {@return what ends that; its calls in flight then count no more} */
    public Disposable observe(ProcessGroup group) {
        return observe(group, new MeterObserver(meters, null));
    }

    /** Hears of that group's calls on this rank, tagged with that name. {@return what ends that; its calls in flight then count no more} */
    public Disposable observe(ProcessGroup group, String name) {
        if (name.isBlank()) {
            throw new InvalidCallException("a group got no name in meters: name=\"" + name
                    + "\"; give one, or leave it out to have its number");
        }
        return observe(group, new MeterObserver(meters, name));
    }

    private Disposable observe(ProcessGroup group, MeterObserver hearing) {
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
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        own.ended(call, error, nanos);
    }

    @Override
    public void happened(CommEvent event) {
        own.happened(event);
    }

    /** Hears nothing more; with the last one of a registry its meters go. Idempotent. */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            own.end();
            ofGroups.dispose();
            meters.leave();
        }
    }
}
