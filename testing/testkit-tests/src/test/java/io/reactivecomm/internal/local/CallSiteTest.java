package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.Dimension;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The place that assembled a call, where calls carry it, is the caller's: two callers differ and one agrees with itself, whatever the call is made
 * of. This class is in a package of the library's on purpose.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallSiteTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final CommConfig SITES =
            CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withCallSites(true);

    private LocalWorld world = ReactiveComm.local(2, SITES);

    private interface Call extends Function<ProcessGroup, Publisher<?>> {}

    @AfterEach
    void newWorld() {
        world.close();
        world = ReactiveComm.local(2, SITES);
    }

    private static Arguments kind(String name, Call here, Call there) {
        return Arguments.of(name, here, there);
    }

    /** Each kind of call, from two places. */
    static Stream<Arguments> kinds() {
        return Stream.of(
                kind("barrier", group -> group.barrier(), group -> group.barrier()),
                kind(
                        "coalesce",
                        group -> group.coalesce(scope -> scope.allReduce(tensor(), ReduceOp.SUM)),
                        group -> group.coalesce(scope -> scope.allReduce(tensor(), ReduceOp.SUM))),
                kind(
                        "parts",
                        group -> group.allGatherParts(tensor(), List.of(tensor(), tensor())),
                        group -> group.allGatherParts(tensor(), List.of(tensor(), tensor()))),
                kind(
                        "batch",
                        group -> group.batch(List.of(group.barrier())),
                        group -> group.batch(List.of(group.barrier()))),
                kind(
                        "all-gather of objects",
                        group -> group.allGatherObject("x", String.class),
                        group -> group.allGatherObject("x", String.class)),
                kind(
                        "broadcast of an object",
                        group -> group.broadcastObject("x", 0, String.class),
                        group -> group.broadcastObject("x", 0, String.class)),
                kind(
                        "gather of objects",
                        group -> group.gatherObject("x", 0, String.class),
                        group -> group.gatherObject("x", 0, String.class)),
                kind(
                        "scatter of objects",
                        group -> group.scatterObject(List.of("x", "y"), 0, String.class),
                        group -> group.scatterObject(List.of("x", "y"), 0, String.class)),
                kind(
                        "reduce of objects",
                        group -> group.reduceObject("x", 0, String::concat, String.class),
                        group -> group.reduceObject("x", 0, String::concat, String.class)),
                kind(
                        "sparse all-reduce",
                        group -> group.sparseAllReduce(sparse(), ReduceOp.SUM).doOnNext(SparseTensor::close),
                        group -> group.sparseAllReduce(sparse(), ReduceOp.SUM).doOnNext(SparseTensor::close)),
                kind("new group", group -> group.newGroup(0, 1), group -> group.newGroup(0, 1)),
                kind("split", group -> group.split(0, 0), group -> group.split(0, 0)),
                kind("split by host", group -> group.splitByHost(), group -> group.splitByHost()),
                kind(
                        "mesh",
                        group -> group.mesh(new Dimension("all", 2)),
                        group -> group.mesh(new Dimension("all", 2))),
                kind(
                        "hook",
                        group -> ready().transform(GradientHooks.of(ParallelHooks.dataParallel(group))),
                        group -> ready().transform(GradientHooks.of(ParallelHooks.dataParallel(group)))),
                kind(
                        "buckets",
                        group -> ready().transform(GradientBuckets.average(group)),
                        group -> ready().transform(GradientBuckets.average(group))));
    }

    private static Tensor tensor() {
        return Tensor.of(new float[] {1, 2});
    }

    private static SparseTensor sparse() {
        return new SparseTensor(Tensor.of(new long[] {3}), Tensor.allocate(DType.FLOAT32, 1, 2), 8);
    }

    private static Flux<Gradient> ready() {
        return Flux.just(new Gradient("w", tensor()));
    }

    /** {@return the error of each rank, or "no error"} */
    private List<Object> ends(Call here, Call there) {
        List<Mono<Object>> both = Stream.of(
                        here.apply(world.groups().get(0)),
                        there.apply(world.groups().get(1)))
                .map(each -> Flux.from(each).then(Mono.<Object>just("no error")).onErrorResume(Mono::just))
                .toList();
        return Objects.requireNonNull(
                Flux.mergeSequential(both, 2, 1).collectList().block(LIMIT));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void calls_fromTwoPlaces_areToldWhichTheyAre(String name, Call here, Call there) {
        List<Object> ends = ends(here, there);

        assertThat(ends)
                .anySatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                MismatchException.class,
                                error -> assertThat(
                                                error.getMessage().split(CallSiteTest.class.getName() + ".lambda", -1))
                                        .hasSize(3)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void calls_fromOnePlace_match(String name, Call here, Call there) {
        assertThat(ends(there, there)).containsOnly("no error");
    }

    /** The two ends of a message are two places of any program. */
    static Stream<Arguments> pairs() {
        return Stream.of(
                kind("messages", group -> group.send(tensor(), 1, 0), group -> group.receive(tensor(), 0, 0)),
                kind(
                        "streams",
                        group -> group.sendAll(Flux.just(tensor()), 1, 0),
                        group -> group.receiveAll(0, 0).doOnNext(Tensor::close)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("pairs")
    void messages_fromTwoPlaces_match(String name, Call here, Call there) {
        assertThat(ends(here, there)).containsOnly("no error");
    }
}
