package io.reactivecomm.internal.engine;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.spi.CallKey;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import reactor.util.context.Context;

/**
 * All that one rank does for an observer that does nothing, in a call that combines one element of each of the ranks: on one thread, since the noise of two is
 * greater than this. {@link ObserverCostBenchmark} has whole calls.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules", "jdk.incubator.vector", "-Xmx1g"})
public class ObservationBenchmark {

    @Param({"2", "3", "4", "8"})
    public int ranks;

    private final Signals signals = new Signals();
    private final LongSupplier clock = System::nanoTime;
    private GroupState group;
    private AllReduce call;
    private CallKey key;
    private long now;

    @Setup
    public void open() {
        List<Integer> all = IntStream.range(0, ranks).boxed().toList();
        group = new GroupState(GroupState.WORLD, 0, all, 0, Observers.ofWorld(List.of(new CommObserver() {})));
        Tensor tensor = Tensor.allocate(DType.FLOAT32, 1);
        call = new AllReduce(tensor, tensor, ReduceOp.SUM);
        key = new CallKey.Ticket(0, GroupState.WORLD, "", 1, 1, null);
        now = clock.getAsLong();
    }

    /** What is the same without an observer is not in it: the clock's reading at subscription, at each event and at the end. */
    @Benchmark
    public Object observer() {
        if (group.observers().isEmpty()) {
            return group;
        }
        Observation.What what = Observation.What.of(call, group.size(), "direct", Submission.BACKEND);
        Observation observation = new Observation(group.observers(), clock, group.forEngines(), key, 1, what, true, now);
        observation.subscribed(Context.empty());
        observation.begun();
        observation.identified(key);
        for (int peer = 1; peer < ranks; peer++) {
            if (observation.matched(peer, now)) {
                signals.observed(observation);
            }
            if (observation.moved(Float.BYTES, now)) {
                signals.observed(observation);
            }
            observation.moved(0, now);
            signals.deliverOne(now);
        }
        observation.over(now);
        observation.ended(null);
        return observation;
    }
}
