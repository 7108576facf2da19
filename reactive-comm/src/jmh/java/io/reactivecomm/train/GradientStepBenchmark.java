package io.reactivecomm.train;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The cost of a step of buckets on two ranks, above that of the same all-reduces issued directly. Gradients are registered and live in the buckets. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class GradientStepBenchmark {

    private static final int BUCKET_BYTES = 1 << 16;

    @Param({"20", "300"})
    private int parameters;

    /** Elements of a gradient. */
    @Param({"100", "10000"})
    private int elements;

    @Param({"LEFT_OUT", "RETURNED"})
    private String missing;

    private LocalWorld world;
    private final List<GradientBuckets> buckets = new ArrayList<>();
    private final List<Mono<?>> steps = new ArrayList<>();
    private final List<List<Tensor>> direct = new ArrayList<>();

    @Setup(Level.Trial)
    public void open() {
        world = ReactiveComm.local(2);
        List<Parameter> model = IntStream.range(0, parameters)
                .mapToObj(i -> new Parameter("layer" + i, DType.FLOAT32, elements))
                .toList();
        for (ProcessGroup group : world.groups()) {
            BucketOptions options = BucketOptions.DEFAULT
                    .withBucketBytes(BUCKET_BYTES)
                    .withScaling(Scaling.SUM)
                    .withMissing(MissingGradients.valueOf(missing));
            GradientBuckets own = GradientBuckets.of(group, options).registered(model);
            List<Gradient> homes = own.allocate();
            buckets.add(own);
            steps.add(GradientHooks.of(own).run(step(homes)));
            direct.add(IntStream.range(0, bucketCount())
                    .mapToObj(i -> Tensor.allocate(DType.FLOAT32, (long) elements * perBucket()))
                    .toList());
        }
    }

    private int perBucket() {
        return Math.max(1, BUCKET_BYTES / (elements * Float.BYTES));
    }

    private int bucketCount() {
        return Math.ceilDiv(parameters, perBucket());
    }

    private static TrainingStep step(List<Gradient> homes) {
        return new TrainingStep() {

            @Override
            public Flux<Gradient> gradients() {
                return Flux.fromIterable(homes);
            }

            @Override
            public Mono<Void> takeBack(Gradient reduced) {
                return Mono.empty();
            }
        };
    }

    @Benchmark
    public Object step() {
        return Mono.when(steps).block();
    }

    @Benchmark
    public Object direct() {
        List<Mono<Work>> calls = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            for (Tensor tensor : direct.get(rank)) {
                calls.add(world.groups().get(rank).allReduce(tensor, ReduceOp.SUM));
            }
        }
        return Mono.when(calls).block();
    }

    @TearDown(Level.Trial)
    public void close() {
        buckets.forEach(GradientBuckets::close);
        world.close();
        direct.forEach(each -> each.forEach(Tensor::close));
    }
}
