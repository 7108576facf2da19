package io.reactivecomm.internal.engine;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * The cost of a call from its assembly to its completion where nothing moves: a world of one rank, {@value #CALLS} calls in flight. Shown
 * for each call.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(CallCostBenchmark.CALLS)
@Warmup(iterations = 8, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules", "jdk.incubator.vector", "-Xmx1g"})
public class CallCostBenchmark {

    static final int CALLS = 1_000;

    private static final int ELEMENTS = 256;

    private LocalWorld world;
    private ProcessGroup group;
    private Tensor[] tensors;
    private volatile int ended;

    @Setup
    public void open() {
        world = ReactiveComm.local(1);
        group = world.groups().getFirst();
        tensors = new Tensor[CALLS];
        for (int i = 0; i < CALLS; i++) {
            tensors[i] = Tensor.allocate(DType.FLOAT32, ELEMENTS);
        }
    }

    @TearDown
    public void close() {
        world.close();
        for (Tensor tensor : tensors) {
            tensor.close();
        }
    }

    /** From a thread of the program's, while the loop works on what it has. */
    @Benchmark
    public void fromAnotherThread() {
        ended = 0;
        subscribeAll();
        awaitAll();
    }

    /** From a callback, as a program that is reactive throughout does. */
    @Benchmark
    public void onTheLoop() {
        ended = 0;
        group.barrier().subscribe(new Each(this::subscribeAll));
        awaitAll();
    }

    /** As {@link #fromAnotherThread}, all in one composite call, whose end is awaited with theirs. */
    @Benchmark
    public void insideAComposite() {
        ended = -1;
        group.composite("step")
                .mono(inside -> {
                    subscribeAll(inside);
                    return Mono.just(ended);
                })
                .subscribe(new Each(this::countOne));
        awaitAll();
    }

    /** As {@link #fromAnotherThread}, each in a composite call of its own. */
    @Benchmark
    public void eachInAComposite() {
        ended = 0;
        for (Tensor tensor : tensors) {
            group.composite("step").mono(inside -> inside.allReduce(tensor, ReduceOp.SUM)).subscribe(new Each(this::countOne));
        }
        awaitAll();
    }

    private void subscribeAll() {
        subscribeAll(group);
    }

    private void subscribeAll(ProcessGroup view) {
        for (Tensor tensor : tensors) {
            view.allReduce(tensor, ReduceOp.SUM).subscribe(new Each(this::countOne));
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Written on the loop only.
    private void countOne() {
        ended++;
    }

    private void awaitAll() {
        while (ended < CALLS) {
            Thread.onSpinWait();
        }
    }

    private record Each(Runnable then) implements CoreSubscriber<Object> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Object result) {
            then.run();
        }

        @Override
        public void onError(Throwable error) {
            throw new IllegalStateException(error);
        }

        @Override
        public void onComplete() {}
    }
}
