package io.reactivecomm.internal.engine;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.observe.CommObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import reactor.core.publisher.Flux;

/**
 * The cost of an observer that does nothing: all ranks of a world make {@value #CALLS} small calls each, on as many loops as there are cores. Shown for
 * each call of all ranks together; a call of one rank costs that, divided by the ranks that share a core.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(ObserverCostBenchmark.CALLS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 8, time = 1)
@Fork(
        value = 3,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules", "jdk.incubator.vector", "-Xmx1g"})
public class ObserverCostBenchmark {

    static final int CALLS = 200;

    @Param({"none", "idle"})
    public String observer = "none";

    @Param({"2", "4"})
    public int ranks;

    private LocalWorld world;
    private final List<Tensor> tensors = new ArrayList<>();

    @Setup
    public void open() {
        world = ReactiveComm.local(ranks);
        for (ProcessGroup group : world.groups()) {
            tensors.add(Tensor.allocate(DType.FLOAT32, 1));
            if (observer.equals("idle")) {
                group.observe(new CommObserver() {});
            }
        }
    }

    @TearDown
    public void close() {
        world.close();
        tensors.forEach(Tensor::close);
    }

    /** One after the other on each rank: what an observer costs is not hidden behind other calls. */
    @Benchmark
    public void allReduce() {
        Flux.fromIterable(world.groups())
                .flatMap(group -> group.allReduce(tensors.get(group.rank()), ReduceOp.SUM).repeat(CALLS - 1L))
                .blockLast();
    }
}
