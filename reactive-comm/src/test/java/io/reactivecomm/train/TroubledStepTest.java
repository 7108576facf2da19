package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Steps whose hooks, sources and takers do what they must not: each ends with an error that says so, and the next step is right. */
class TroubledStepTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final LocalWorld alone = ReactiveComm.local(1);
    private final ProcessGroup group = alone.groups().getFirst();

    @AfterEach
    void close() {
        alone.close();
    }

    private static Gradient gradient(String name) {
        return new Gradient(name, Tensor.of(new float[] {1}));
    }

    /** A step that hands these over. */
    private record Step(Flux<Gradient> gradients, Function<Gradient, Mono<Void>> back) implements TrainingStep {

        Step(Gradient... gradients) {
            this(Flux.just(gradients), reduced -> Mono.empty());
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            return back.apply(reduced);
        }
    }

    private static GradientBuckets buckets(ProcessGroup group, String... names) {
        List<Parameter> parameters = new ArrayList<>();
        for (String name : names) {
            parameters.add(new Parameter(name, DType.FLOAT32, 1));
        }
        return GradientBuckets.sum(group).registered(parameters);
    }

    /** A hook that gives one more gradient at the end of its pass. */
    private record Adding(Gradient gradient) implements GradientHook {

        @Override
        public Mono<Gradient> apply(Gradient each, StepView step) {
            return Mono.just(each);
        }

        @Override
        public Flux<Gradient> passEnded(StepView step) {
            return Flux.just(gradient);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hookBeforeBuckets_thatGivesAGradientTwice_orAnAbsentOne_failsTheStep(boolean isAbsent) {
        try (GradientBuckets buckets = buckets(group, "a", "b")) {
            GradientHooks hooks = GradientHooks.of(new Adding(gradient("a")), buckets);
            Gradient first = isAbsent ? Gradient.absent("a") : gradient("a");
            assertThatThrownBy(() -> hooks.run(new Step(first, gradient("b"))).block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContainingAll("came twice, or although", "name=a", "rank=0");
            assertThat(GradientHooks.of(buckets).run(new Step(gradient("a"))).block(LIMIT))
                    .isNotNull();
        }
    }

    @Test
    void hookBeforeBucketsThatLearn_thatGivesAGradientTwice_failsTheStep() {
        try (GradientBuckets learning = GradientBuckets.sum(group)) {
            GradientHooks hooks = GradientHooks.of(new Adding(gradient("a")), learning);
            assertThatThrownBy(() ->
                            hooks.run(new Step(gradient("a"), gradient("b"))).block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("twice: name=a");
        }
    }

    /** It would be summed for the other one. */
    @Test
    void gradientInTheHomeOfAnotherOne_failsTheStep() {
        try (GradientBuckets buckets = buckets(group, "a", "b")) {
            Gradient wrong = new Gradient("a", buckets.allocate().get(1).tensor());
            assertThatThrownBy(
                            () -> GradientHooks.of(buckets).run(new Step(wrong)).block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContainingAll("is in the home of another one: name=a", "rank=0");
        }
    }

    @Test
    void gradientThatComesTwice_isNamed_andNotItsMemory() {
        Gradient twice = gradient("a");
        GradientHooks hooks = GradientHooks.of(ParallelHooks.dataParallel(group));
        assertThatThrownBy(() -> hooks.run(new Step(twice, twice)).block(LIMIT))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("came twice in one step: name=a");
    }

    @Test
    void hookThatReturnsANotice_failsTheStep() {
        GradientHooks hooks = GradientHooks.of((each, step) -> Mono.just(Gradient.absent("b")));
        assertThatThrownBy(() -> hooks.run(new Step(gradient("a"))).block(LIMIT))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("a hook has returned a notice: name=b");
    }

    @Test
    void takerThatThrowsAsItIsCancelled_keepsNoTurn() {
        GradientHooks hooks = new GradientHooks();
        Disposable cancelled = hooks.run(new Step(
                        Flux.just(gradient("a")),
                        reduced -> Mono.create(sink -> sink.onCancel(() -> {
                            throw new IllegalStateException("planted");
                        }))))
                .subscribe();
        cancelled.dispose();
        assertThat(hooks.run(new Step(gradient("a"))).block(LIMIT)).isNotNull();
    }

    @Test
    void sourceThatThrowsAsItIsAskedForMore_failsTheStep() {
        AtomicInteger requests = new AtomicInteger();
        Flux<Gradient> source = Flux.create(sink -> sink.onRequest(count -> {
            if (requests.getAndIncrement() == 1) {
                throw new IllegalStateException("planted");
            }
            sink.next(gradient("a"));
        }));
        assertThatThrownBy(() -> source.transform(GradientHooks.of(ParallelHooks.dataParallel(group)))
                        .limitRate(1)
                        .blockLast(LIMIT))
                .hasMessage("planted");
    }

    @Test
    void stepsBehindEachOther_runNoPassOnALoop() {
        List<Boolean> mustNotBlock = Collections.synchronizedList(new ArrayList<>());
        GradientHooks hooks = GradientHooks.of(ParallelHooks.dataParallel(group));
        Flux<Gradient> pass = Flux.defer(() -> {
            mustNotBlock.add(Schedulers.isInNonBlockingThread());
            return Flux.just(gradient("a"));
        });
        Flux.range(0, 5)
                .concatMap(number -> hooks.run(new Step(pass, reduced -> Mono.empty())))
                .blockLast(LIMIT);
        assertThat(mustNotBlock).hasSize(5).containsOnly(false);
    }

    @Test
    void deadlineBeyondTheReachOfTimers_isNone() {
        ProcessGroup patient = group.timeout(Duration.ofSeconds(Long.MAX_VALUE));
        try (GradientBuckets buckets = buckets(patient, "a")) {
            assertThat(GradientHooks.of(buckets).run(new Step(gradient("a"))).block(LIMIT))
                    .isNotNull();
        }
    }

    @Test
    void holdTakenAsTheViewEnds_hasADeadline() {
        ProcessGroup hasty = group.timeout(Duration.ofMillis(50));
        GradientHook holding = new GradientHook() {

            @Override
            public void begins(StepView step) {
                step.ended().doOnTerminate(step::hold).subscribe();
            }

            @Override
            public Mono<Gradient> apply(Gradient each, StepView step) {
                return Mono.just(each);
            }
        };
        GradientHooks hooks = new GradientHooks();
        hooks.register(holding, HookScope.of(hasty));
        assertThat(hooks.run(new Step(gradient("a"))).block(LIMIT)).isNotNull();
    }

    /** {@return a tensor whose second access to its elements runs an action and waits for a latch} */
    private static Tensor unpackedBehind(Tensor tensor, CountDownLatch signal, Runnable waiting) {
        AtomicInteger reads = new AtomicInteger();
        return (Tensor) Proxy.newProxyInstance(
                Tensor.class.getClassLoader(), new Class<?>[] {Tensor.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("segment") && reads.incrementAndGet() == 2) {
                        waiting.run();
                        assertThat(signal.await(LIMIT.toSeconds(), TimeUnit.SECONDS))
                                .isTrue();
                    }
                    try {
                        return method.invoke(tensor, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Its bucket is reduced on all ranks by then. */
    @Test
    void resultThatIsUnpackedAsItsStepHasFailed_comesBeforeTheError() {
        CountDownLatch ended = new CountDownLatch(1);
        Sinks.Empty<Void> unpacks = Sinks.empty();
        GradientHook watching = new GradientHook() {

            @Override
            public void begins(StepView step) {
                step.ended().doOnTerminate(ended::countDown).subscribe(nothing -> {}, error -> {});
            }

            @Override
            public Mono<Gradient> apply(Gradient each, StepView step) {
                return Mono.just(each);
            }
        };
        Gradient slow = new Gradient("a", unpackedBehind(Tensor.of(new float[] {1}), ended, unpacks::tryEmitEmpty));
        Flux<Gradient> source = Flux.just(slow, gradient("b"))
                .concatWith(unpacks.asMono()
                        .publishOn(Schedulers.boundedElastic())
                        .then(Mono.error(new IllegalStateException("planted"))));
        List<String> results = Collections.synchronizedList(new ArrayList<>());
        BucketOptions options = BucketOptions.DEFAULT.withBucketBytes(8).withFirstBucketBytes(8);
        List<Parameter> three = List.of(
                new Parameter("a", DType.FLOAT32, 1),
                new Parameter("b", DType.FLOAT32, 1),
                new Parameter("c", DType.FLOAT32, 1));
        try (GradientBuckets pairs = GradientBuckets.of(group, options).registered(three)) {
            GradientHooks hooks = GradientHooks.of(watching, pairs);
            assertThatThrownBy(() -> source.transform(hooks)
                            .doOnNext(each -> results.add(each.name()))
                            .blockLast(LIMIT))
                    .hasMessage("planted");
            assertThat(results).containsExactlyInAnyOrder("a", "b");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The loop is held from the end of the composite call on, so it does not come to the call that the hook makes after that. */
    @Test
    void callMadeAfterTheStepHasFailedElsewhere_borrowsNoGradientAtTheTerminalSignal() throws Exception {
        CountDownLatch failed = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Gradient gradient = gradient("a");
        try (LocalWorld two = ReactiveComm.local(2)) {
            GradientHooks culprit = new GradientHooks();
            culprit.register(
                    (each, step) -> Mono.just(each), HookScope.of(two.groups().getFirst()));
            Step planted = new Step(Flux.error(new IllegalStateException("planted")), reduced -> Mono.empty());
            GradientHooks hooks = new GradientHooks();
            hooks.register(
                    (each, step) -> {
                        ProcessGroup inside = step.group();
                        inside.named("begun").barrier().subscribe(none -> {}, error -> failed.countDown());
                        culprit.run(planted).subscribe(end -> {}, error -> {});
                        await(failed);
                        inside.named("refused").barrier().subscribe(none -> {}, error -> {
                            ended.countDown();
                            await(goesOn);
                        });
                        await(ended);
                        return inside.allReduce(each.tensor(), ReduceOp.SUM).thenReturn(each);
                    },
                    HookScope.of(two.groups().getLast()));
            CompletableFuture<Boolean> isReleased = hooks.run(new Step(gradient))
                    .map(end -> false)
                    .onErrorResume(error ->
                            Mono.just(gradient.tensor().released().toFuture().isDone()))
                    .toFuture();
            goesOn.countDown();
            assertThat(isReleased.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }
}
