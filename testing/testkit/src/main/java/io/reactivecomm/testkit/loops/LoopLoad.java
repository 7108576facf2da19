package io.reactivecomm.testkit.loops;

import io.reactivecomm.CoalesceScope;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Parameter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The kinds of work that loops are loaded with. */
public enum LoopLoad {
    /** One call of each kind, in a JVM that has made none. */
    FIRST_CALLS(LoopLoad::firstCalls),
    /** Every reduction of every type once. */
    FIRST_FOLDS(LoopLoad::firstFolds),
    /** Calls of 256 MiB, whose tensors are closed on the loop. */
    BULK(LoopLoad::bulk),
    /** Calls of 256 MiB that need memory of the engine's own. */
    BULK_SCRATCH(LoopLoad::bulkScratch),
    MANY_GROUPS(LoopLoad::manyGroups),
    STREAMS(LoopLoad::streams),
    OBJECTS(LoopLoad::objects),
    BUCKETS(LoopLoad::buckets),
    /** A thousand calls at once. */
    BURST(LoopLoad::burst),
    /** The program holds a loop itself, for twice as long as the library may: so that it is known that this is seen. */
    HOLDING(LoopLoad::holding);

    private static final long BULK_ELEMENTS = 64L << 20;
    private static final int PEERS = 2;
    private static final int GROUPS = 100;
    private static final int BURST_CALLS = 1_000;
    private static final long HOLDING_NANOS = 500_000_000;

    private final Function<ProcessGroup, Publisher<?>> calls;

    LoopLoad(Function<ProcessGroup, Publisher<?>> calls) {
        this.calls = calls;
    }

    /** {@return what one of two ranks does; the next begins on the loop when one has ended} */
    Publisher<?> of(ProcessGroup group) {
        return calls.apply(group);
    }

    private static Tensor floats(ProcessGroup group, long count) {
        return group.allocate(DType.FLOAT32, count);
    }

    private static List<Tensor> floats(ProcessGroup group, long count, int times) {
        return Stream.generate(() -> floats(group, count)).limit(times).toList();
    }

    private static Publisher<?> firstCalls(ProcessGroup group) {
        int size = group.size();
        int next = (group.rank() + 1) % size;
        int before = (group.rank() + size - 1) % size;
        return Flux.concat(
                group.barrier(),
                group.allReduce(floats(group, 3), ReduceOp.SUM),
                group.allReduce(floats(group, 200_000), ReduceOp.SUM),
                group.reduce(floats(group, 3), 1, ReduceOp.SUM),
                group.broadcast(floats(group, 3), 0),
                group.allGather(floats(group, 3), floats(group, 3L * size)),
                group.reduceScatter(floats(group, 3L * size), floats(group, 3), ReduceOp.SUM),
                group.allToAll(floats(group, size), floats(group, size)),
                group.gather(floats(group, 2), group.rank() == 1 ? floats(group, 2, size) : List.of(), 1),
                group.scatter(group.rank() == 0 ? floats(group, 2, size) : List.of(), floats(group, 2), 0),
                group.monitoredBarrier(Duration.ofSeconds(20), true),
                group.allReduceCoalesced(floats(group, 2, 3), ReduceOp.SUM),
                group.coalesce((CoalesceScope scope) ->
                        scope.allReduce(floats(group, 2), ReduceOp.SUM).broadcast(floats(group, 3), 0)),
                group.allGatherParts(floats(group, 3), floats(group, 3, size)),
                group.reduceScatterParts(floats(group, 3, size), floats(group, 3), ReduceOp.SUM),
                Mono.zip(group.send(floats(group, 3), next, 4), group.receive(floats(group, 3), before, 4)),
                group.batch(List.of(group.send(floats(group, 3), next, 6), group.receive(floats(group, 3), before, 6))),
                group.sparseAllReduce(
                        new SparseTensor(Tensor.of(new long[] {1, 3}), floats(group, 2), 5), ReduceOp.SUM),
                group.newGroup(0, 1),
                group.split(0, group.rank()),
                group.splitByHost());
    }

    private static Publisher<?> firstFolds(ProcessGroup group) {
        return Flux.fromStream(Arrays.stream(DType.values())
                        .flatMap(type -> Arrays.stream(ReduceOp.values())
                                .filter(op -> op.supports(type))
                                .map(op -> group.allReduce(group.allocate(type, 100_000), op))))
                .concatMap(call -> call);
    }

    private static Publisher<?> bulk(ProcessGroup group) {
        return Flux.concat(
                bulky(() -> group.allReduce(floats(group, BULK_ELEMENTS), ReduceOp.SUM)),
                bulky(() -> group.broadcast(floats(group, BULK_ELEMENTS), 0)),
                bulky(() -> group.allReduce(floats(group, BULK_ELEMENTS), floats(group, BULK_ELEMENTS), ReduceOp.SUM)),
                bulky(() -> group.allGather(floats(group, BULK_ELEMENTS / PEERS), floats(group, BULK_ELEMENTS))),
                bulky(() -> group.allToAll(floats(group, BULK_ELEMENTS), floats(group, BULK_ELEMENTS))));
    }

    /** The program's own memory is the program's to touch: elsewhere. */
    private static Mono<Work> bulky(Supplier<Mono<Work>> call) {
        return Mono.fromSupplier(call)
                .subscribeOn(Schedulers.boundedElastic())
                .flatMap(assembled -> assembled)
                .doOnNext(work -> work.tensors().forEach(Tensor::close));
    }

    private static Publisher<?> bulkScratch(ProcessGroup group) {
        return Flux.concat(
                bulky(() ->
                        group.algorithm("ring").allReduce(group.allocate(DType.BFLOAT16, BULK_ELEMENTS), ReduceOp.SUM)),
                bulky(() -> group.algorithm("binomial")
                        .reduce(group.allocate(DType.INT32, BULK_ELEMENTS), 1, ReduceOp.SUM)));
    }

    private static Publisher<?> manyGroups(ProcessGroup group) {
        Flux<?> inTurn =
                Flux.range(0, GROUPS).concatMap(i -> group.newGroup(0, 1)).doOnNext(ProcessGroup::close);
        Mono<?> together = Flux.range(0, GROUPS)
                .map(i -> group.split(0, group.rank()))
                .collectList()
                .flatMapMany(Flux::merge)
                .flatMap(each -> each.barrier().doOnNext(done -> each.close()))
                .then();
        return Flux.concat(inTurn, together);
    }

    private static Publisher<?> streams(ProcessGroup group) {
        int other = 1 - group.rank();
        Flux<Tensor> small = Flux.range(0, 2_000).map(i -> floats(group, 100));
        Flux<Tensor> large = Flux.range(0, 6)
                .map(i -> floats(group, (i == 5 ? 48 : 16) << 20))
                .subscribeOn(Schedulers.boundedElastic());
        Flux<Tensor> sent = group.sendAll(Flux.concat(small, large), other, 7).doOnNext(Tensor::close);
        return Flux.merge(sent, group.receiveAll(other, 7).limitRate(1).doOnNext(Tensor::close));
    }

    private static Publisher<?> objects(ProcessGroup group) {
        String large = "x".repeat(8 << 20);
        return Flux.concat(
                group.allGatherObject("mine", String.class),
                group.broadcastObject("mine", 0, String.class),
                group.gatherObject("mine", 1, String.class),
                group.scatterObject(group.rank() == 0 ? List.of("a", "b") : List.of(), 0, String.class),
                group.reduceObject("mine", 1, String::concat, String.class),
                group.allGatherObject(large, String.class).subscribeOn(Schedulers.boundedElastic()));
    }

    private static Publisher<?> buckets(ProcessGroup group) {
        List<Parameter> model = IntStream.range(0, 60)
                .mapToObj(i -> new Parameter("layer" + i, DType.FLOAT32, i % 10 == 0 ? 4 << 20 : 10_000))
                .toList();
        GradientBuckets buckets = GradientBuckets.average(group).registered(model);
        List<Gradient> gradients = buckets.allocate();
        return Flux.range(0, 3)
                .concatMap(step -> buckets.apply(Flux.fromIterable(gradients)))
                .doFinally(end -> buckets.close());
    }

    private static Publisher<?> burst(ProcessGroup group) {
        return Mono.when(IntStream.range(0, BURST_CALLS)
                .mapToObj(i -> group.allReduce(floats(group, 100), ReduceOp.SUM))
                .toList());
    }

    private static Publisher<?> holding(ProcessGroup group) {
        return group.barrier().doOnNext(work -> {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long end = threads.getCurrentThreadCpuTime() + HOLDING_NANOS;
            while (threads.getCurrentThreadCpuTime() < end) {
                Thread.onSpinWait();
            }
        });
    }
}
