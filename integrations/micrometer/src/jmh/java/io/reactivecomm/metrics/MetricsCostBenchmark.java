package io.reactivecomm.metrics;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.LogRank;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import reactor.util.context.Context;

/** The cost of meters and observations for one call: what they do when it begins and when it ends, without what an engine does to tell of it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
public class MetricsCostBenchmark {

    private final CommMetrics few = CommMetrics.of(new SimpleMeterRegistry());
    private final CommMetrics all = CommMetrics.of(new SimpleMeterRegistry(), Set.of(CallTag.values()));
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final CommObservations observations = CommObservations.of(registry);
    private final LogRank rank = new LogRank(0, 2);
    private ObservedCall call;

    /** A call that has been. */
    @Setup
    public void call() {
        registry.observationConfig().observationHandler((ObservationHandler<Observation.Context>) context -> true);
        AtomicReference<ObservedCall> last = new AtomicReference<>();
        try (LocalWorld world = ReactiveComm.local(1)) {
            world.groups().getFirst().observe(new CommObserver() {
                @Override
                public void ended(ObservedCall ended, Throwable error, long nanos) {
                    last.set(ended);
                }
            });
            world.groups().getFirst().barrier().block();
        }
        call = Objects.requireNonNull(last.get());
    }

    private void observe(CommObserver observer) {
        observer.subscribed(call, Context.empty());
        observer.ended(call, null, call.subscribedAt() + 1000);
    }

    @Benchmark
    public void meters() {
        observe(few);
    }

    @Benchmark
    public void metersWithAllTags() {
        observe(all);
    }

    /** By a handler that does nothing. */
    @Benchmark
    public void observation() {
        observe(observations);
    }

    /** What a turn of a loop pays for the log's context. */
    @Benchmark
    public void sameRank() {
        rank.enter();
    }
}
