package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.Sinks;

/** Gradients that have memory in common, with each other or with calls of the program's. */
class SharedGradientsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final int LARGE = 300_000;

    /** {@return how a step has ended on each rank} */
    private static List<Signal<List<Gradient>>> ends(
            LocalWorld world,
            Function<ProcessGroup, GradientHook> hooks,
            Function<ProcessGroup, Flux<Gradient>> steps) {
        return Flux.fromIterable(world.groups())
                .flatMapSequential(group -> steps.apply(group)
                        .transform(GradientHooks.of(hooks.apply(group)))
                        .collectList()
                        .materialize())
                .collectList()
                .block(LIMIT);
    }

    private static void requireBothNamed(List<Signal<List<Gradient>>> ends) {
        assertThat(ends)
                .hasSize(2)
                .allSatisfy(end -> assertThat(end.getThrowable())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("first=wte")
                        .hasMessageContaining("second=lm_head")
                        .hasMessageContaining("step=0"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, LARGE})
    void oneTensorUnderTwoNames_isAnError_whateverItsSize(int count) {
        for (long bucketBytes : new long[] {1, BucketOptions.DEFAULT.bucketBytes()}) {
            BucketOptions options =
                    BucketOptions.DEFAULT.withBucketBytes(bucketBytes).withFirstBucketBytes(bucketBytes);
            try (LocalWorld world = ReactiveComm.local(2)) {
                requireBothNamed(ends(world, group -> GradientBuckets.of(group, options), group -> {
                    Tensor tied = Tensor.allocate(DType.FLOAT32, count);
                    return Flux.just(new Gradient("wte", tied), new Gradient("lm_head", tied));
                }));
            }
        }
    }

    @Test
    void slicesThatOverlap_areAnError_inBucketsAndInHooks() {
        for (Function<ProcessGroup, GradientHook> hooks :
                List.<Function<ProcessGroup, GradientHook>>of(GradientBuckets::sum, ParallelHooks::dataParallel)) {
            try (LocalWorld world = ReactiveComm.local(2)) {
                requireBothNamed(ends(world, hooks, group -> {
                    Tensor whole = Tensor.allocate(DType.FLOAT32, 10);
                    return Flux.just(
                            new Gradient("wte", whole.slice(0, 6)),
                            new Gradient("bias", whole.slice(6, 2)),
                            new Gradient("lm_head", whole.slice(5, 1)));
                }));
            }
        }
    }

    @Test
    void slicesThatDoNotOverlap_areReduced_andInTheNextStepAgain() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<Tensor> wholes = world.groups().stream()
                    .map(group -> Tensor.of(new float[] {1, 2, 3, 4}))
                    .toList();
            List<GradientBuckets> buckets =
                    world.groups().stream().map(GradientBuckets::sum).toList();
            for (int step = 0; step < 3; step++) {
                List<Signal<List<Gradient>>> ends = ends(world, group -> buckets.get(group.rank()), group -> {
                    Tensor whole = wholes.get(group.rank());
                    return Flux.just(
                            new Gradient("a", whole.slice(0, 2)),
                            new Gradient("b", whole.slice(2, 2)),
                            new Gradient("none", whole.slice(1, 0)));
                });
                assertThat(ends).allSatisfy(end -> assertThat(end.get()).hasSize(3));
            }
            assertThat(wholes)
                    .allSatisfy(whole -> assertThat(whole.toFloatArray()).containsExactly(8, 16, 24, 32));
            buckets.forEach(GradientBuckets::close);
        }
    }

    /** The second gradient arrives after the first was returned. */
    @Test
    void tensorThatComesAgainUnderAnotherName_isAnError_untilTheStepEnds() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<Signal<List<Gradient>>> ends = Flux.fromIterable(world.groups())
                    .flatMapSequential(group -> {
                        Sinks.Many<Gradient> pass = Sinks.many().unicast().onBackpressureBuffer();
                        pass.tryEmitNext(new Gradient("wte", Tensor.of(new float[] {1})));
                        return pass.asFlux()
                                .transform(GradientHooks.of(ParallelHooks.dataParallel(group)))
                                .doOnNext(back -> {
                                    pass.tryEmitNext(new Gradient("lm_head", back.tensor()));
                                    pass.tryEmitComplete();
                                })
                                .collectList()
                                .materialize();
                    })
                    .collectList()
                    .block(LIMIT);
            requireBothNamed(ends);
        }
    }

    /** It waits for the rest of its bucket. */
    @Test
    void gradientThatHasCome_isNotToBeUsedByOtherCalls_untilItComesBack() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<Tensor> first = world.groups().stream()
                    .map(group -> Tensor.of(new float[] {1}))
                    .toList();
            List<Sinks.Many<Gradient>> passes = world.groups().stream()
                    .map(group -> Sinks.many().unicast().<Gradient>onBackpressureBuffer())
                    .toList();
            CompletableFuture<List<Signal<List<Gradient>>>> steps = Flux.fromIterable(world.groups())
                    .flatMapSequential(group -> passes.get(group.rank())
                            .asFlux()
                            .transform(GradientBuckets.sum(group))
                            .collectList()
                            .materialize())
                    .collectList()
                    .toFuture();
            world.groups()
                    .forEach(group -> passes.get(group.rank()).tryEmitNext(new Gradient("a", first.get(group.rank()))));
            assertThat(sums(world, first))
                    .allSatisfy(end -> assertThat(end.getThrowable())
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContaining("other=gradient reduction a in step 1 of gradient buckets #0, "));
            passes.forEach(Sinks.Many::tryEmitComplete);
            assertThat(Mono.fromFuture(steps).block(LIMIT))
                    .allSatisfy(end -> assertThat(end.get()).hasSize(1));
            assertThat(sums(world, first))
                    .allSatisfy(end -> assertThat(end.getThrowable()).isNull());
            assertThat(first)
                    .allSatisfy(tensor -> assertThat(tensor.toFloatArray()).containsExactly(4));
        }
    }

    private static List<Signal<Work>> sums(LocalWorld world, List<Tensor> tensors) {
        return Flux.fromIterable(world.groups())
                .flatMapSequential(group -> group.named("other")
                        .allReduce(tensors.get(group.rank()), ReduceOp.SUM)
                        .materialize())
                .collectList()
                .block(LIMIT);
    }

    @Test
    void gradientThatACallInFlightUses_isAnErrorOfTheStep() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            List<Tensor> tensors = world.groups().stream()
                    .map(group -> Tensor.of(new float[] {1}))
                    .toList();
            CompletableFuture<Work> call = world.groups()
                    .get(0)
                    .named("other")
                    .allReduce(tensors.get(0), ReduceOp.SUM)
                    .toFuture();
            assertThat(ends(
                            world,
                            GradientBuckets::sum,
                            group -> Flux.just(new Gradient("a", tensors.get(group.rank())))))
                    .allSatisfy(end -> assertThat(end.getThrowable())
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContaining("call=a in step 1 of gradient buckets #0, ")
                            .hasMessageContaining("other=all-reduce other#0"));
            world.groups()
                    .get(1)
                    .named("other")
                    .allReduce(tensors.get(1), ReduceOp.SUM)
                    .block(LIMIT);
            Mono.fromFuture(call).block(LIMIT);
        }
    }
}
