package io.reactivecomm.testkit.stream;

import io.reactivecomm.DType;
import io.reactivecomm.Dimension;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.ObjectEnding;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import io.reactivecomm.train.TrainingStep;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** All publishers of a group, each as a {@link Subject}. */
public final class Subjects {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int ITEMS = 3;

    private Subjects() {}

    public static List<Subject> all() {
        return Stream.of(
                        reductions(),
                        copies(),
                        exchanges(),
                        bySelf(),
                        objects(),
                        groups(),
                        streams(),
                        composites(),
                        gradients())
                .flatMap(List::stream)
                .toList();
    }

    private static Tensor floats(GuardedMemory memory, long count) {
        return memory.input(DType.FLOAT32, count, 1, 0);
    }

    private static List<Tensor> each(ProcessGroup group, GuardedMemory memory) {
        return IntStream.range(0, group.size()).mapToObj(i -> floats(memory, 3)).toList();
    }

    private static List<Subject> reductions() {
        ReduceOp sum = ReduceOp.SUM;
        return List.of(
                Subject.one("all-reduce in place", (group, memory) -> group.allReduce(floats(memory, 3), sum)),
                Subject.one(
                        "all-reduce",
                        (group, memory) -> group.allReduce(floats(memory, 40_000), floats(memory, 40_000), sum)),
                Subject.one(
                        "all-reduce coalesced", (group, memory) -> group.allReduceCoalesced(each(group, memory), sum)),
                Subject.one(
                        "inference all-reduce", (group, memory) -> group.inferenceAllReduce(floats(memory, 3), sum)),
                Subject.one("reduce", (group, memory) -> group.reduce(floats(memory, 3), 1, sum)),
                Subject.one(
                        "reduce-scatter",
                        (group, memory) -> group.reduceScatter(floats(memory, 6), floats(memory, 3), sum)),
                Subject.one(
                        "ragged reduce-scatter",
                        (group, memory) -> group.reduceScatter(each(group, memory), floats(memory, 3), sum)),
                Subject.many(
                        "reduce-scatter in parts",
                        1,
                        3,
                        (group, memory) -> group.reduceScatterParts(each(group, memory), floats(memory, 3), sum)),
                Subject.one("sparse all-reduce", (group, memory) -> group.sparseAllReduce(sparse(group, memory), sum)));
    }

    private static SparseTensor sparse(ProcessGroup group, GuardedMemory memory) {
        Tensor row = memory.tensor(DType.INT64, 1);
        row.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, group.rank());
        return new SparseTensor(row, Tensor.wrap(floats(memory, 2).segment(), DType.FLOAT32, 1, 2), 8);
    }

    private static List<Subject> copies() {
        return List.of(
                Subject.one("broadcast", (group, memory) -> group.broadcast(floats(memory, 3), 0)),
                Subject.one("all-gather", (group, memory) -> group.allGather(floats(memory, 3), floats(memory, 6))),
                Subject.one(
                        "ragged all-gather",
                        (group, memory) -> group.allGather(floats(memory, 3), each(group, memory))),
                Subject.many(
                                "all-gather in parts",
                                2,
                                2,
                                (group, memory) -> group.allGatherParts(floats(memory, 3), each(group, memory)))
                        .alone(1),
                Subject.one(
                        "all-gather coalesced",
                        (group, memory) ->
                                group.allGatherCoalesced(List.of(floats(memory, 1)), List.of(floats(memory, 2)))),
                Subject.one(
                        "gather",
                        (group, memory) -> group.gather(
                                floats(memory, 3), group.rank() == 0 ? each(group, memory) : List.of(), 0)),
                Subject.one(
                        "scatter",
                        (group, memory) -> group.scatter(
                                group.rank() == 1 ? each(group, memory) : List.of(), floats(memory, 3), 1)));
    }

    private static List<Subject> exchanges() {
        long[] even = {2, 2};
        return List.of(
                Subject.one("all-to-all", (group, memory) -> group.allToAll(floats(memory, 4), floats(memory, 4))),
                Subject.one(
                        "all-to-all by splits",
                        (group, memory) -> group.allToAll(floats(memory, 4), even, floats(memory, 4), even)),
                Subject.one(
                        "all-to-all of lists",
                        (group, memory) -> group.allToAll(each(group, memory), each(group, memory))),
                Subject.one(
                        "send",
                        (group, memory) -> group.rank() == 0
                                ? group.send(floats(memory, 3), 1, 7)
                                : group.receive(floats(memory, 3), 0, 7)),
                Subject.one(
                        "receive",
                        (group, memory) -> group.rank() == 1
                                ? group.send(floats(memory, 3), 0, 7)
                                : group.receive(floats(memory, 3), ProcessGroup.ANY, 7)),
                Subject.one(
                        "batch",
                        (group, memory) -> group.batch(List.of(
                                group.send(floats(memory, 3), 1 - group.rank(), 8),
                                group.receive(floats(memory, 3), 1 - group.rank(), 8)))));
    }

    private static List<Subject> bySelf() {
        return List.of(
                Subject.one("barrier", (group, memory) -> group.barrier()),
                Subject.one("monitored barrier", (group, memory) -> group.monitoredBarrier(PATIENCE, true)),
                Subject.one(
                        "coalesce",
                        (group, memory) -> group.coalesce(scope ->
                                scope.allReduce(floats(memory, 3), ReduceOp.SUM).broadcast(floats(memory, 2), 1))));
    }

    private static List<Subject> objects() {
        List<String> both = List.of("one", "other");
        Class<String> text = String.class;
        return List.of(
                Subject.one("all-gather of objects", (group, memory) -> group.allGatherObject("own", text)),
                Subject.one(
                        "all-gather of objects by codec",
                        (group, memory) -> group.allGatherObject("own", ObjectEnding.TEXT)),
                Subject.one("broadcast of an object", (group, memory) -> group.broadcastObject("own", 1, text)),
                Subject.one(
                        "broadcast of an object by codec",
                        (group, memory) -> group.broadcastObject("own", 0, ObjectEnding.TEXT)),
                Subject.one("gather of objects", (group, memory) -> group.gatherObject("own", 0, text)),
                Subject.one(
                        "gather of objects by codec",
                        (group, memory) -> group.gatherObject("own", 1, ObjectEnding.TEXT)),
                Subject.one("scatter of objects", (group, memory) -> group.scatterObject(both, 0, text)),
                Subject.one(
                        "scatter of objects by codec",
                        (group, memory) -> group.scatterObject(both, 1, ObjectEnding.TEXT)),
                Subject.one("reduce of objects", (group, memory) -> group.reduceObject("own", 0, String::concat, text)),
                Subject.none(
                        "reduce of objects, elsewhere",
                        (group, memory) -> group.reduceObject("own", 1, String::concat, text)),
                Subject.one(
                        "reduce of objects by codec",
                        (group, memory) -> group.reduceObject("own", 0, String::concat, ObjectEnding.TEXT)));
    }

    private static List<Subject> groups() {
        return List.of(
                Subject.one("new group", (group, memory) -> group.newGroup(1, 0)),
                Subject.none("new group of others", (group, memory) -> group.newGroup(1)),
                Subject.one("split", (group, memory) -> group.split(0, 1 - group.rank())),
                Subject.none("split without a color", (group, memory) -> group.split(group.rank() - 1, 0)),
                Subject.one("split by host", (group, memory) -> group.splitByHost()),
                Subject.one(
                        "mesh", (group, memory) -> group.mesh(new Dimension("data", 2), new Dimension("tensor", 1))));
    }

    /** A tensor is closed where it comes out: by the sender's subscriber once it is sent, and by the receiver's. */
    private static List<Subject> streams() {
        return List.of(
                Subject.many(
                                "stream, sent",
                                ITEMS,
                                ITEMS,
                                (group, memory) -> group.rank() == 0 ? sent(group, 1) : group.receiveAll(0, 9))
                        .onDemand(),
                Subject.many(
                                "stream, received",
                                ITEMS,
                                ITEMS,
                                (group, memory) -> group.rank() == 1 ? sent(group, 0) : group.receiveAll(1, 9))
                        .onDemand(),
                Subject.none(
                                "stream of nothing, received",
                                (group, memory) ->
                                        group.rank() == 1 ? group.sendAll(Flux.empty(), 0, 9) : group.receiveAll(1, 9))
                        .onDemand());
    }

    /** {@return a stream to that rank} What is not sent because the subscriber has left is discarded, and so closed. */
    private static Flux<Tensor> sent(ProcessGroup group, int peer) {
        Flux<Tensor> items = Flux.range(0, ITEMS).map(i -> Tensor.of(new float[] {i}));
        return group.sendAll(items, peer, 9).doOnDiscard(Tensor.class, Tensor::close);
    }

    private static List<Subject> composites() {
        return List.of(
                Subject.one("composite", (group, memory) -> {
                    Tensor sum = floats(memory, 3);
                    return group.composite("two sums")
                            .mono(inside -> inside.allReduce(sum, ReduceOp.SUM)
                                    .flatMap(work -> inside.allReduce(sum, ReduceOp.SUM)));
                }),
                Subject.none(
                        "composite without a result",
                        (group, memory) -> group.composite("barrier")
                                .mono(inside -> inside.barrier().then())),
                Subject.many(
                                "composite of many results",
                                ITEMS,
                                ITEMS,
                                (group, memory) -> group.composite("barriers")
                                        .flux(inside -> Flux.range(0, ITEMS).concatMap(i -> inside.barrier(), 1)))
                        .onDemand());
    }

    private static List<Subject> gradients() {
        return List.of(
                Subject.many(
                                "gradients through a hook",
                                ITEMS,
                                ITEMS,
                                (group, memory) ->
                                        ready(memory).transform(GradientHooks.of(ParallelHooks.dataParallel(group))))
                        .onDemand()
                        .elsewhere(),
                Subject.many("gradients through buckets", ITEMS, ITEMS, (group, memory) -> {
                            GradientBuckets buckets = GradientBuckets.average(group.named("buckets"));
                            return ready(memory).transform(buckets).doFinally(end -> buckets.close());
                        })
                        .onDemand()
                        .elsewhere(),
                Subject.none(
                                "a step through all hooks",
                                (group, memory) -> GradientHooks.of(ParallelHooks.dataParallel(group))
                                        .run(step(memory))
                                        .then())
                        .onDemand());
    }

    private static TrainingStep step(GuardedMemory memory) {
        return new TrainingStep() {

            @Override
            public Flux<Gradient> gradients() {
                return ready(memory);
            }

            @Override
            public Mono<Void> takeBack(Gradient reduced) {
                return Mono.empty();
            }
        };
    }

    private static Flux<Gradient> ready(GuardedMemory memory) {
        List<Gradient> all = new ArrayList<>();
        for (int i = 0; i < ITEMS; i++) {
            all.add(new Gradient("layer" + i, floats(memory, 2)));
        }
        return Flux.fromIterable(all);
    }
}
